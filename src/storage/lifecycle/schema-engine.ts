// Prisma's schema engine as WebAssembly, offline: writes and applies migrations over our own connections.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { MigrationConnection } from '../engine.ts';

/** The part of the global that is used here; TypeScript types it only as part of the whole DOM library. */
declare const WebAssembly: {
  instantiate(code: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

let instantiated: Promise<void> | undefined;

/**
 * Starts an engine, which takes about 0.2 seconds the first time.
 * @param main the connection that migrations are applied to.
 * @param openShadow opens the empty database on which migrations are tried to learn what they create.
 * @param onFailure called with the error of a failed script, and the script: the engine's own error names neither the script nor
 *   the database's message.
 */
export async function startSchemaEngine(
  main: MigrationConnection,
  openShadow: () => Promise<MigrationConnection>,
  onFailure: (error: unknown, script: string) => void = () => undefined,
): Promise<bindings.SchemaEngine> {
  // The bindings hold one module-wide instance: a second one would replace the memory of the first.
  instantiated ??= instantiate();
  await instantiated;
  const factory: SqlMigrationAwareDriverAdapterFactory = {
    provider: main.provider,
    adapterName: main.adapterName,
    connect: async () => engineAdapter(main, onFailure),
    connectToShadowDb: async () => engineAdapter(await openShadow(), onFailure),
  };
  const log = () => undefined; // everything the engine logs is also in its result or its error
  return bindings.SchemaEngine.new({ datamodels: undefined }, log, bindMigrationAwareSqlAdapterFactory(factory));
}

/**
 * The timers of the engine, which do not keep the process alive: it leaves behind the one that limits its wait for its lock on
 * PostgreSQL to ten seconds (measured with 7.10).
 */
const timers = Object.fromEntries(
  Object.keys(bindings)
    .filter((name) => name.startsWith('__wbg_setTimeout_'))
    .map((name) => [name, (callback: () => void, ms: number) => setTimeout(callback, ms >>> 0).unref()]),
);

async function instantiate(): Promise<void> {
  const script = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const code = await readFile(script.replace(/\.js$/, '.wasm'));
  // The package does this by importing the .wasm file, which Node 20 cannot.
  const { exports } = (await WebAssembly.instantiate(code, { './schema_engine_bg.js': { ...bindings, ...timers } }))
    .instance;
  bindings.__wbg_set_wasm(exports);
  (exports.__wbindgen_start as () => void)(); // exports of WebAssembly have no types
}

/** Adapts a connection for the engine, which sends statements one by one and never begins a transaction (measured with 7.10). */
function engineAdapter(
  connection: MigrationConnection,
  onFailure: (error: unknown, script: string) => void,
): SqlDriverAdapter {
  const executeScript = async (script: string) => {
    try {
      await connection.executeScript(script);
    } catch (error) {
      onFailure(error, script);
      throw error;
    }
  };
  return {
    provider: connection.provider,
    adapterName: connection.adapterName,
    queryRaw: (query) => connection.queryRaw(query),
    executeRaw: async (query) => {
      if (query.args.length > 0) return connection.executeRaw(query);
      // On the shadow database the engine sends whole scripts this way, and ignores the count.
      await executeScript(query.sql);
      return 0;
    },
    executeScript,
    startTransaction: async () => {
      throw new Error('The schema engine asked for a transaction, which this program holds around it.');
    },
    // Whoever opened the connection closes it.
    dispose: async () => undefined,
  };
}
