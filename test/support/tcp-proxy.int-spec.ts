import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.js';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js';

describe('the TCP proxy', () => {
  let echo: Server;
  let proxy: TcpProxy;
  let heardByServer: string;

  beforeEach(async () => {
    heardByServer = '';
    echo = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        heardByServer += data.toString();
        socket.write(data);
      });
    }).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await startTcpProxy({ port: (echo.address() as AddressInfo).port });
  });
  afterEach(async () => {
    await proxy.close();
    echo.close();
  });

  function dial(): { socket: Socket; heard: () => string } {
    let heard = '';
    const socket = connect(proxy.port, proxy.host);
    socket.on('error', () => undefined);
    socket.on('data', (data) => (heard += data.toString()));
    return { socket, heard: () => heard };
  }

  it('passes all bytes in order, with or without a delay', async () => {
    const { socket, heard } = dial();
    socket.write('one ');
    proxy.setLatency(30);
    for (const word of ['two ', 'three ', 'four']) socket.write(word);
    await eventually(() => heard() === 'one two three four');
    socket.destroy();
    await eventually(() => proxy.connectionCount() === 0);
  });

  it('keeps the order of bytes when the delay ends', async () => {
    const { socket, heard } = dial();
    proxy.setLatency(100);
    socket.write('one ');
    await sleep(50);
    proxy.setLatency(0);
    socket.write('two');
    await eventually(() => heard().length === 7);
    expect(heard()).toBe('one two');
    socket.destroy();
  });

  it('can hold back answers: the server gets the request, the client gets the answer late or never', async () => {
    const { socket, heard } = dial();
    proxy.blackhole('to-client');
    socket.write('question');
    await eventually(() => heardByServer === 'question');
    await sleep(20);
    expect(heard()).toBe('');
    proxy.restore();
    await eventually(() => heard() === 'question');
    proxy.blackhole('to-server');
    socket.write(' lost');
    await sleep(20);
    const closed = closeOf(socket);
    proxy.cut();
    await closed;
    proxy.restore();
    await sleep(20);
    expect(heardByServer).toBe('question');
  });

  it('refuses connections until it admits them again', async () => {
    proxy.refuse();
    await closeOf(dial().socket);
    proxy.admit();
    const { socket, heard } = dial();
    socket.write('hello');
    await eventually(() => heard() === 'hello');
    socket.destroy();
  });
});

/** Unlike `once`, does not reject on the reset that comes before the event. */
function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.on('close', () => resolve()));
}
