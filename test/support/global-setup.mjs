// Jest does not transform the imports of its global set-up, so Node's loader has to. Written in JavaScript for that reason.
import './register-typescript.mjs';

export default async function globalSetup() {
  const [{ startTestServer }, { ensureRedisServer }] = await Promise.all([
    import('./test-server.ts'),
    import('./redis-install.ts'),
  ]);
  await ensureRedisServer();
  globalThis.stopTestServer = await startTestServer(process.env);
}
