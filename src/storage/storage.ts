// Opens the database and hands out the data of each account.

import { LRUCache } from 'lru-cache';
import { createBelievedClock } from '../domain/access/believed-clock.ts';
import { usualKeyAges } from '../domain/access/key-ages.ts';
import type { SigningAgentSetting } from '../domain/access/signing-agents.ts';
import { SallyportError } from '../domain/errors.ts';
import { createNewId } from '../domain/values/ids.ts';
import { type Activity, createActivity } from './activity.ts';
import { unavailable } from './errors.ts';
import { createIdempotency, type Idempotency, type IdempotentRequest } from './idempotency.ts';
import { type Credentials, createCredentials } from './keys/credentials.ts';
import { createCurrentKey } from './keys/current-key.ts';
import { createSealing, resealAll } from './keys/reseal.ts';
import { readSealedCheck, sealCheck } from './keys/secret-key.ts';
import { createSecrets } from './keys/secrets.ts';
import { drafting } from './lifecycle/drafting.ts';
import { agreeOnKey } from './lifecycle/first-opening.ts';
import { createHealth, type Health } from './lifecycle/health.ts';
import { inStep } from './lifecycle/in-step.ts';
import { makeLater } from './lifecycle/later.ts';
import { joinTroubles } from './lifecycle/troubles.ts';
import { roundMs, startRounds, type UpkeepScope } from './lifecycle/upkeep.ts';
import {
  type AccountScope,
  type AccountView,
  type AccountWriter,
  createDatabaseHandle,
  scopeToAccount,
} from './objects/account-scope.ts';
import { type Accounts, createAccounts } from './objects/accounts.ts';
import { createChangeCounts, createChanges, createRowWriter, writer } from './objects/changes.ts';
import { type ChangeCheck, createObjectChanges } from './objects/object-changes.ts';
import { createRowsOf } from './objects/plain-reads.ts';
import { createRowChangesOf } from './objects/plain-writes.ts';
import { createServerReads, createServerScope } from './objects/server-scope.ts';
import { createTurnsOf } from './objects/turns.ts';
import { createSlicing } from './sql/read-slices.ts';
import { sql } from './sql/statement.ts';
import type { BackgroundWork, StorageOptions } from './storage-options.ts';
import { createEventReads } from './trail/event-reads.ts';
import { createEventWrites } from './trail/event-writes.ts';
import { createFacts } from './trail/facts.ts';
import { createFeed } from './trail/feed.ts';
import { type Origin, serverItself } from './trail/origin.ts';
import { createRefusals, type Refusals } from './trail/refusals.ts';
import { createTrail } from './trail/trail.ts';

/** An open database. */
export interface Storage {
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  readonly activity: Activity;
  /** Requests that were refused, for the trail. */
  readonly refusals: Refusals;
  readonly health: Health;
  /** Display name of the database engine. */
  readonly engineTitle: string;
  readonly idempotency: Idempotency;
  /** Returns 256 bits for a text, which follow from the secret key: the keys of signed identities are made of them. */
  codeForIdentity(text: string): Buffer;
  /** The data of all accounts, for work that the server does for no account. */
  readonly server: UpkeepScope;
  /** Returns the data of one account, for reading. */
  forAccount(accountId: string): AccountView;
  /**
   * Returns the data of one account, for changing. The trail records the origin of the changes.
   *
   * @param request the request that the changes belong to, if it must not be carried out twice
   * @param signal returns a signal that fires when nobody is waiting for the changes any more: those not yet sent are dropped
   */
  actingFor(
    accountId: string,
    origin: Origin,
    request?: IdempotentRequest | null,
    signal?: () => AbortSignal,
  ): AccountScope;
  /**
   * Reseals all secrets under another key, and returns their number. This storage goes on using the old key, so close it
   * afterwards. Throws like `resealAll`.
   *
   * @param signal stops the work, unless the new secrets have been sent
   */
  changeSecretKey(newKey: Uint8Array, signal?: AbortSignal): Promise<number>;
  /** Runs a round of upkeep, as a timer does every minute: stores last uses of keys, and once an hour does the work of areas. */
  upkeep(): Promise<void>;
  /** Stores what is still in memory and closes the database. */
  close(): Promise<void>;
  /** Resolves when no thread is using the database any more, which may be long after `close`. */
  ended(): Promise<void>;
}

/** The part of an account's scopes that does not depend on who acts. */
interface ScopeBase {
  readonly view: AccountView;
  readonly writing: Omit<AccountWriter, 'apply' | 'forced' | 'announce' | 'say'>;
}

/** Opens a migrated database. Throws Error like `Engine.open`, or if there is no secret key that fits the database. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const {
    engine,
    now,
    randomBytes,
    secretKey,
    onStatement,
    onTiming,
    owner,
    areas = [],
    signingAgents = [],
    makePrivateKey,
    onUpkeepFailure = () => {},
    onBackgroundFailure = () => {},
    checkChange = () => {},
    deciding = { gateAllowSemicolon: false, renewalGraceDays: 7, keyAges: usualKeyAges },
  } = options;
  const newTrouble = joinTroubles(owner?.onTrouble ?? (() => {}));
  const ownerOfOpened = owner === undefined ? undefined : { onTrouble: newTrouble() };
  const opened = await inStep(engine, 'it was opened', () =>
    engine.open({ onStatement, onTiming, owner: ownerOfOpened }),
  );
  const { client, connection } = opened;
  const orClose = (error: unknown) => opened.close().then(() => Promise.reject(error));
  const dialect = await inStep(engine, 'the order of its events was looked up', opened.agreeOnDialect).catch(orClose);
  const changes = createChanges(connection);
  const rowWriter = createRowWriter(dialect);
  const monotonicMs = options.monotonicMs ?? (() => performance.now());
  const slicing = createSlicing(dialect, monotonicMs);
  const reads = createServerReads(connection, dialect, slicing);
  const open = async () => ({
    ...(await agreeOnKey({ reads, rowWriter, changes }, secretKey, randomBytes)),
    rowsOf: createRowsOf(connection, dialect, slicing),
    rowChangesOf: createRowChangesOf(dialect),
  });
  const { key, sealedCheck, rowsOf, rowChangesOf } = await inStep(engine, 'its secret key was checked', open).catch(
    orClose,
  );
  opened.watch();
  const newId = createNewId(() => now().getTime(), randomBytes);
  const newEventId = createNewId(() => now().getTime(), options.eventRandomBytes ?? randomBytes);
  const turnsOf = createTurnsOf(rowWriter, dialect);
  const { eventOfOrigin, eventsOfOrigin } = createEventWrites(createTrail(dialect), newEventId, now);
  const failureOf = (work: BackgroundWork) => (error: unknown) => onBackgroundFailure(work, error);
  const events = createEventReads(connection, dialect);
  const feed = createFeed(events, failureOf('feed'));
  const { database, forgetSecrets, changed } = createDatabaseHandle(feed.changed);
  const changeCounts = createChangeCounts(changed);
  const credentials = createCredentials({ reads, rowWriter, changes }, now, failureOf('keyWatch'));
  const activity = createActivity({ reads, rowWriter, changes, dialect });
  const refusals = createRefusals({
    write: ({ accountId, actor, requestId, surface, clientAddress, description, state }) => {
      const eventOf = eventOfOrigin(accountId, { actor, requestId, surface, clientAddress });
      const text = JSON.stringify(state);
      const write = eventOf({ model: 'Request', id: requestId, action: 'refuse', state: text, description });
      return changes.apply({ write });
    },
    recognize: credentials.recognize,
    monotonicMs,
    onFailure: failureOf('refusals'),
  });
  const ownSecrets = createSecrets(key, randomBytes);
  const bases = new LRUCache<string, ScopeBase>({ max: 1_000 });
  const tellOfKey = newTrouble();
  const currentKey = createCurrentKey({
    key,
    secrets: ownSecrets,
    checked: sealedCheck,
    readCheck: () => readSealedCheck(reads),
    onTrouble(message) {
      forgetSecrets();
      tellOfKey(message);
    },
  });
  const { secrets } = currentKey;
  const sealing = createSealing(reads, rowWriter, changes, key, randomBytes, sealedCheck, currentKey);
  /** The name is read each time: whoever renames an account must not find that its authorities have lost their agent unseen. */
  const signingAgentsOf = async (accountId: string): Promise<readonly SigningAgentSetting[]> => {
    const [found] =
      signingAgents.length === 0 ? [] : await reads.rows(sql`SELECT "name" FROM "Account" WHERE "id" = ${accountId}`);
    return signingAgents.filter(({ account }) => account === accountId || account === found?.[0]);
  };
  const closing = new AbortController();
  const draftBase = {
    closing: closing.signal,
    open: openStorage,
    engine,
    secretKey: key,
    now,
    randomBytes,
    makePrivateKey,
    signingAgents,
    deciding,
  };
  const baseOf = (accountId: string): ScopeBase => {
    const known = bases.get(accountId);
    if (known !== undefined) return known;
    const trailEnd = () => events.end(accountId);
    const base: ScopeBase = {
      view: {
        accountId,
        db: makeLater(() => scopeToAccount(client, accountId)).standIn,
        rows: rowsOf(accountId),
        changeCount: (kinds) => changeCounts.of(accountId, kinds),
        database,
        now,
        newId,
        randomBytes,
        makePrivateKey,
        signingAgents: () => signingAgentsOf(accountId),
        credentials,
        secrets,
        deciding,
        follow: (request) => feed.follow(accountId, request),
        trailEnd,
        draft: (kinds, signal) => drafting({ ...draftBase, accountId, trailEnd, kinds, signal }),
      },
      writing: {
        rowChanges: rowChangesOf(accountId),
        rowWriter,
      },
    };
    bases.set(accountId, base);
    return base;
  };
  const actingFor: Storage['actingFor'] = (accountId, origin, request = null, signal = undefined) => {
    const { view, writing } = baseOf(accountId);
    const counting = changeCounts.counting(accountId, sealing);
    const [turnOf, eventsOf] = [turnsOf(accountId), eventsOfOrigin(accountId, origin)];
    const changesWith = (check: ChangeCheck | null) =>
      createObjectChanges(counting, accountId, turnOf, eventsOf, request, signal, check);
    const { apply } = changesWith((deltas) => checkChange(view, deltas, signal));
    // The new member comes before the spread. Added after it, V8 (11.3) gives every object its own shape, which takes four times
    // as long and moves the object to the old generation at once (measured).
    return {
      [writer]: { apply, forced: changesWith(null), announce: async () => {}, say: () => {}, ...writing },
      ...view,
    };
  };
  const server: UpkeepScope = {
    ...createServerScope(dialect, reads, changes, createFacts({ rowWriter, changes })),
    actingFor: (accountId) => actingFor(accountId, serverItself),
    database,
    events,
  };
  const rounds = startRounds({
    areas,
    server,
    clock: createBelievedClock(() => now().getTime(), monotonicMs),
    everyMs: options.upkeepEveryMs ?? roundMs,
    now,
    monotonicMs,
    flush: credentials.flush,
    onFailure: onUpkeepFailure,
  });

  return {
    accounts: createAccounts({ client, reads, rowWriter, rowChangesOf, changes, eventsOf: eventOfOrigin, now, newId }),
    credentials,
    activity,
    refusals,
    health: createHealth(opened, reads, currentKey),
    engineTitle: engine.title,
    idempotency: createIdempotency(server, dialect, changes, secrets, now, monotonicMs),
    codeForIdentity: (text) => secrets.derive('signed identity').codeOf(text),
    server,
    forAccount: (accountId) => baseOf(accountId).view,
    actingFor,
    async changeSecretKey(newKey, signal) {
      const check = sealCheck(newKey, randomBytes);
      const count = await resealAll(
        reads,
        rowWriter,
        changes,
        ownSecrets,
        createSecrets(newKey, randomBytes),
        check,
        signal,
      );
      forgetSecrets();
      return count;
    },
    upkeep: rounds.run,
    async close() {
      closing.abort(new SallyportError('UNAVAILABLE', unavailable));
      feed.close();
      await rounds.stop();
      await refusals.settled();
      // Both are best effort: a full disk must not turn an orderly stop into a failure.
      await credentials.flush().catch(onUpkeepFailure);
      // Twice: what was counted while the first write was under way is not in it.
      for (let write = 0; write < 2; write += 1) await activity.store().catch(failureOf('activity'));
      await changes.settled();
      await opened.close();
      forgetSecrets();
    },
    ended: opened.ended,
  };
}
