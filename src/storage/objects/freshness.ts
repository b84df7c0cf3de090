// How long a process may rely on what it has read, while other processes may change it.

/**
 * Milliseconds for which what was read is assumed unchanged by other processes, so that their changes take effect here within a
 * second. Reading again costs one look-up per object and second, on every engine and behind every pooler; notifications would need a
 * permanent connection.
 */
export const trustMs = 900;
