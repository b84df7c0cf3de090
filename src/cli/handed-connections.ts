// Connections on their way from the process that accepts them to the worker that is to serve them.

import type { Worker } from 'node:cluster';

/** A connection as the system has given it to Node, which has read nothing of it. */
interface Connection {
  close(): void;
}

/** Milliseconds in which everything is read that a worker has said before it ended. */
const readMs = 500;

/**
 * Closes what a worker has been handed and had neither taken nor declined when it ended, so that its client can try again. Node waits for
 * its answer for ever (measured with 20: the client hangs, and the file stays open). What Node and workers say to each other is described
 * nowhere but in its source (`lib/internal/cluster`: `newconn`, `seq`, `ack`); where it were to differ, nothing would be closed here.
 */
export function closeUnanswered({ process: worker }: Worker): void {
  const handed = new Map<unknown, Connection>();
  const { send } = worker;
  worker.send = (...sent: unknown[]) => {
    const [message, connection] = sent;
    if (hasKeys(message, 'act', 'seq') && message.act === 'newconn' && isConnection(connection)) {
      handed.set(message.seq, connection);
    }
    return Reflect.apply(send, worker, sent);
  };
  worker.on('internalMessage', (message: unknown) => {
    if (hasKeys(message, 'ack')) handed.delete(message.ack);
  });
  worker.once('exit', () => {
    const close = () => {
      for (const connection of handed.values()) connection.close();
    };
    // Later, because what it has answered before its end may still have to be read. There is no `disconnect` where an answer is owed.
    setTimeout(close, readMs).unref();
  });
}

function isConnection(sent: unknown): sent is Connection {
  return hasKeys(sent, 'close') && typeof sent.close === 'function';
}

function hasKeys<K extends string>(value: unknown, ...keys: K[]): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && keys.every((key) => key in value);
}
