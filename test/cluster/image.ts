export interface ImageReference {
  repository: string;
  tag: string;
  digest: string;
}

/** `registry.example.com:5000/repotide:1.2.3` or `repotide@sha256:...`. @throws Error when it has neither tag nor digest. */
export function parseImage(reference: string): ImageReference {
  const [named = '', digest = ''] = reference.split('@');
  // A colon before the last slash belongs to the port of the registry.
  const colon = named.indexOf(':', named.lastIndexOf('/'));
  const [repository, tag] = colon === -1 ? [named, ''] : [named.slice(0, colon), named.slice(colon + 1)];
  if (repository && (tag || digest)) return { repository, tag, digest };
  throw new Error(`"${reference}" names no exact image. Expected a tag or a digest, such as repotide:0.1.0.`);
}
