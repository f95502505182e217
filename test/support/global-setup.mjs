// Jest neither transforms nor maps what its global set-up imports, so Node's loader is taught to (JavaScript itself).
import './register-typescript.mjs';

export default async function globalSetup() {
  const [{ startTestServer }, { ensureRedisServer }] = await Promise.all([
    import('./test-server.ts'),
    import('./redis-install.ts'),
  ]);
  await ensureRedisServer();
  globalThis.stopTestServer = await startTestServer(process.env);
}
