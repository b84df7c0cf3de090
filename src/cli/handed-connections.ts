// Connections in flight from the process that accepts them to the worker that will serve them.

import type { Worker } from 'node:cluster';

/** A connection handle that Node has accepted but not read from. */
interface Connection {
  close(): void;
}

/** Milliseconds within which all messages that a worker sent before it ended are read. */
const readMs = 500;

/**
 * Closes the connections that a worker had been handed and neither accepted nor declined when it ended, so that their clients can
 * retry. Node itself waits forever for the worker's answer (measured with 20: the client hangs, and the descriptor stays open). The
 * protocol between Node and its workers is documented only in its source (`lib/internal/cluster`: `newconn`, `seq`, `ack`). If it
 * changes, this function closes nothing.
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
    // Delayed, because answers sent before the exit may still be unread. No `disconnect` is emitted while an answer is pending.
    setTimeout(close, readMs).unref();
  });
}

function isConnection(sent: unknown): sent is Connection {
  return hasKeys(sent, 'close') && typeof sent.close === 'function';
}

function hasKeys<K extends string>(value: unknown, ...keys: K[]): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && keys.every((key) => key in value);
}
