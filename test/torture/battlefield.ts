// The server that is attacked, with two accounts: the attacker's and another one.

import { setTimeout as pause } from 'node:timers/promises';
import type { NamedDatabase } from '../support/database.ts';
import { createClient, type TortureClient } from './client.ts';
import { bootstrapKey, createAccount, type Home, type Programs, type ServerProcess, startServer } from './process.ts';
import { Broken, type Figures } from './report.ts';
import type { Sizes } from './sizes.ts';

/** Settings of a battlefield. */
export interface BattlefieldOptions {
  readonly programs: Programs;
  /** An empty database; without one, the run creates a file. */
  readonly database?: NamedDatabase;
  readonly sizes: Sizes;
  /** Time limit of an attack, after which it counts as having stopped the server. */
  readonly timeoutMs: number;
  readonly progress: (text: string) => void;
}

/** A server with the two accounts, which is replaced if an attack has ended it. */
export class Battlefield {
  readonly broken = new Broken();
  readonly figures: Figures = {};
  readonly programs: Programs;
  readonly home: Home;
  readonly sizes: Sizes;
  readonly timeoutMs: number;
  readonly progress: (text: string) => void;
  server: ServerProcess;
  #otherToken = '';

  private constructor(options: BattlefieldOptions, home: Home, server: ServerProcess) {
    this.programs = options.programs;
    this.sizes = options.sizes;
    this.timeoutMs = options.timeoutMs;
    this.progress = options.progress;
    this.home = home;
    this.server = server;
  }

  static async open(options: BattlefieldOptions, home: Home): Promise<Battlefield> {
    const field = new Battlefield(options, home, await startServer(options.programs, home));
    field.#otherToken = await createAccount(options.programs, home, 'other');
    return field;
  }

  attacker(connections = 1): TortureClient {
    return createClient(this.server.url, bootstrapKey, connections);
  }

  other(): TortureClient {
    return createClient(this.server.url, this.#otherToken);
  }

  /** If the process has ended or no longer answers, notes that and starts another one. */
  async revive(name: string): Promise<void> {
    if (this.server.isAlive() && (await this.#answers())) return;
    const what = this.server.ending() ?? 'it answered nobody for 30 s and was killed';
    this.broken.add(name, `ended the process: ${what}`);
    this.progress(`hostile: ${name} ended the process (${what})`);
    await this.restart();
  }

  async restart(): Promise<void> {
    await this.server.kill();
    this.server = await startServer(this.programs, this.home);
  }

  async #answers(): Promise<boolean> {
    const client = createClient(this.server.url, '');
    const health = client.send('GET', '/healthz', { timeoutMs: 30_000 });
    const answers = await health.then(
      ({ status }) => status === 200,
      () => false,
    );
    client.close();
    return answers;
  }

  /** Waits until the server is idle, so that all work that an attack causes is counted as its own. */
  async rest(): Promise<void> {
    const deadline = performance.now() + this.timeoutMs;
    for (let before = this.server.cpuMs(); performance.now() < deadline && this.server.isAlive(); ) {
      await pause(60);
      const now = this.server.cpuMs();
      if (now - before < 6) return;
      before = now;
    }
  }
}
