// Folders tell the life of a run, so folders form no circle either. A configuration of its own: a spec beside its code
// may use test/support, which uses the code.
const { options } = require('./.dependency-cruiser.cjs');

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-folder-circles',
      severity: 'error',
      scope: 'folder',
      comment: 'Two folders that need each other are one folder, or are missing a third.',
      from: {},
      to: { circular: true },
    },
  ],
  options: { ...options, exclude: { path: '\\.spec\\.ts$' } },
};
