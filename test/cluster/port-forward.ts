import { createServer, type AddressInfo, type Socket } from 'node:net';
import { PortForward, type KubeConfig } from '@kubernetes/client-node';

/** A port of this machine that leads to one of a pod, through the API server and the kubelet. */
export interface ForwardedPort {
  url: string;
  close(): void;
}

export async function forwardPort(
  config: KubeConfig,
  { namespace, pod, port }: { namespace: string; pod: string; port: number },
): Promise<ForwardedPort> {
  const forward = new PortForward(config);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
    forward.portForward(namespace, pod, [port], socket, null, socket).then(
      (connection) => {
        if (typeof connection === 'function') return;
        const websocket = connection as unknown as WebSocket;
        websocket.addEventListener('close', () => socket.destroy());
        socket.once('close', () => websocket.close());
      },
      () => socket.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
