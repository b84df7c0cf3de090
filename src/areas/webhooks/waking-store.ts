// Wakes the delivery of messages in this process.

import { perDatabase } from '../../storage/objects/account-scope.ts';

/** Wakes the delivery of a database: a webhook has changed, or a message waits. */
export const deliveryOf = perDatabase(() => ({ wake: () => {} }));
