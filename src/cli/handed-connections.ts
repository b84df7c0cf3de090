// Connections on their way from the process that accepts them to the worker that is to serve them.

import type { Worker } from 'node:cluster';

/** A connection as the system has given it to Node, which has read nothing of it. */
interface Connection {
  close(): void;
}

/**
 * Closes what a worker has been handed and had not taken when it ended, so that its clients can try again. Node closes its own end of a
 * connection when the worker says that it has it, and waits for that for ever (measured with 20: the client hangs, the file stays open).
 */
export function closeUntaken({ process: worker }: Worker): void {
  const handed = new Set<Connection>();
  const { send } = worker;
  worker.send = (...sent: unknown[]) => {
    const [, connection] = sent;
    if (isConnection(connection)) {
      handed.add(connection);
      const { close } = connection;
      connection.close = () => {
        handed.delete(connection);
        close.call(connection);
      };
    }
    return Reflect.apply(send, worker, sent);
  };
  worker.once('exit', () => {
    for (const connection of handed) connection.close();
  });
}

/** Node hands nothing else to workers but the listening socket, where they take connections themselves. */
function isConnection(sent: unknown): sent is Connection {
  return typeof sent === 'object' && sent !== null && 'close' in sent && typeof sent.close === 'function';
}
