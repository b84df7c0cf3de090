// Prisma's schema engine as WebAssembly, offline: writes and applies migrations over connections of ours.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { MigrationConnection } from './engine.ts';

/** The part of the global object that is used here; TypeScript types it only together with the whole browser. */
declare const WebAssembly: {
  instantiate(code: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

let instantiated: Promise<void> | undefined;

/**
 * Starts an engine, which takes about 0.2 seconds the first time.
 * @param main the connection that migrations are applied to.
 * @param openShadow opens the empty database that migrations are tried on to learn what they make.
 * @param onFailure told why a script failed, and which: the engine's own error has neither its name nor the database's words.
 */
export async function startSchemaEngine(
  main: MigrationConnection,
  openShadow: () => Promise<MigrationConnection>,
  onFailure: (error: unknown, script: string) => void = () => undefined,
): Promise<bindings.SchemaEngine> {
  // The bindings hold one module-wide instance: a second one would pull the memory from under the first.
  instantiated ??= instantiate();
  await instantiated;
  const factory: SqlMigrationAwareDriverAdapterFactory = {
    provider: main.provider,
    adapterName: main.adapterName,
    connect: async () => engineAdapter(main, onFailure),
    connectToShadowDb: async () => engineAdapter(await openShadow(), onFailure),
  };
  const log = () => undefined; // what the engine logs comes back as its result or its error as well
  return bindings.SchemaEngine.new({ datamodels: undefined }, log, bindMigrationAwareSqlAdapterFactory(factory));
}

async function instantiate(): Promise<void> {
  const script = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const code = await readFile(script.replace(/\.js$/, '.wasm'));
  // The package does this by importing the .wasm file, which Node 20 cannot.
  const { exports } = (await WebAssembly.instantiate(code, { './schema_engine_bg.js': bindings })).instance;
  bindings.__wbg_set_wasm(exports);
  (exports.__wbindgen_start as () => void)(); // exports of WebAssembly have no types
}

/** The engine sends one statement after the other and never begins a transaction (measured with 7.10). */
function engineAdapter(
  connection: MigrationConnection,
  onFailure: (error: unknown, script: string) => void,
): SqlDriverAdapter {
  return {
    provider: connection.provider,
    adapterName: connection.adapterName,
    queryRaw: (query) => connection.queryRaw(query),
    executeRaw: async (query) => {
      if (query.args.length > 0) return connection.executeRaw(query);
      // On the shadow database it sends whole scripts this way, and looks at no count.
      await connection.executeScript(query.sql);
      return 0;
    },
    executeScript: async (script) => {
      try {
        await connection.executeScript(script);
      } catch (error) {
        onFailure(error, script);
        throw error;
      }
    },
    startTransaction: async () => {
      throw new Error('The schema engine asked for a transaction, which this program holds around it.');
    },
    // Whoever opened the connection closes it.
    dispose: async () => undefined,
  };
}
