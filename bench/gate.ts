// What a decision of the gate costs: compared with a bare `node:http` that answers 200, and in nginx, which asks about each
// request.

import { type Finding, ratios, spreadOf } from './figures.ts';
import { application, type GateTemplate, makeGateTemplate, moduleRules, type Page } from './gate-template.ts';
import { type Call, type Measurement, measure, type Pace } from './load.ts';
import { startNginx } from './nginx.ts';
import type { Place } from './places.ts';
import { bundleOpponent, type Server, startOpponent, startSallyport } from './servers.ts';

const connections = 32;
const rateGoal = { atLeast: 0.6 };
/** Against a bare answer: how long a decision takes depends on the machine. */
const processorGoal = { atMost: 1.5 };
/** Against nginx that asks nobody, so that a part of it is what nginx needs to ask. */
const addedMsGoal = { atMost: 0.2 };
/**
 * V8 compiles hot code in threads that a busy machine may delay: warming up takes this many times the duration of a measurement.
 */
const warmUps = 6;

/** The text above the table. */
export const gateWords = `Decisions about an edge with 20 routes, of which one with a SAML module is asked for, with a live session, and two enforced IP
restrictions of 500 rules each; the same with an IP restriction module of ${moduleRules.toLocaleString('en')} rules at the route; ${connections} connections from changing client addresses. Bare is \`node:http\` that answers 200 with the same
headers and looks at nothing. Behind nginx (one worker), the application is that bare server, and the added latency is the difference
of the medians with and without \`auth_request\` in the same round.`;

/** What a browser sends besides its cookie. */
const browser = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language': 'en-US,en;q=0.5',
  'Accept-Encoding': 'gzip, deflate, br',
};

/**
 * Measures everything in turn.
 *
 * @throws Error if a request does not pass
 */
export async function measureGate(place: Place, pace: Pace, log: (message: string) => void): Promise<Finding[]> {
  const template = await makeGateTemplate(place);
  const running: Pick<Server, 'stop'>[] = [];
  try {
    const gate = await startSallyport(template.url, template.secretKey);
    running.push(gate);
    const bare = await startOpponent(await bundleOpponent('bare'), template.url);
    running.push(bare);
    const nginx = await startNginx({ directory: place.directory, edgeId: template.edgeId, gate, application: bare });
    if (nginx === null) log('nginx is not installed: it is left out.');
    else running.push(nginx);

    const { plain, restricted } = template.pages;
    const question = (page: Page) => (n: number) => questionOf(template, page, n);
    const visit = () => visitOf(plain);
    const series: Series[] = [
      { server: bare, callOf: question(plain), connections, measurements: [] },
      { server: gate, callOf: question(plain), connections, measurements: [] },
      { server: gate, callOf: question(restricted), connections, measurements: [] },
    ];
    for (const count of nginx === null ? [] : [1, connections]) {
      for (const server of [nginx?.unguarded, nginx?.guarded]) {
        if (server !== undefined) series.push({ server, callOf: visit, connections: count, measurements: [] });
      }
    }
    for (let round = 0; round <= pace.rounds; round += 1) {
      log(round === 0 ? 'Warming up.' : `Round ${round} of ${pace.rounds}.`);
      for (const { server, callOf, connections: count, measurements } of series) {
        const measured = await measure(server, callOf, count, round === 0 ? warmUps * pace.seconds : pace.seconds);
        if (round > 0) measurements.push(measured);
      }
    }
    return findingsOf(series.map(({ measurements }) => measurements));
  } finally {
    await Promise.all(running.map((server) => server.stop()));
  }
}

/** One kind of request to one server, with one measurement per round. */
interface Series {
  readonly server: Pick<Server, 'url' | 'processorSeconds'>;
  readonly callOf: (n: number) => Call;
  readonly connections: number;
  readonly measurements: Measurement[];
}

/** Summarizes the series, in order. */
function findingsOf([
  bare = [],
  gate = [],
  restricted = [],
  ...behindNginx
]: readonly (readonly Measurement[])[]): Finding[] {
  const figures = (measured: readonly Measurement[], name: keyof Measurement) => measured.map((one) => one[name]);
  const ratio = (name: keyof Measurement, measured = gate) =>
    spreadOf(ratios(figures(measured, name), figures(bare, name)));
  const added = (unguarded: readonly Measurement[] = [], guarded: readonly Measurement[] = []) =>
    spreadOf(guarded.map(({ p50Ms }, round) => p50Ms - (unguarded[round]?.p50Ms ?? Number.NaN)));
  const findings: Finding[] = [
    { what: 'Decisions per second, against bare', spread: ratio('requestsPerSecond'), goal: rateGoal },
    {
      what: 'Processor time of a decision, in µs',
      spread: spreadOf(figures(gate, 'processorMicroseconds')),
      goal: null,
    },
    {
      what: 'Processor time of a bare answer, in µs',
      spread: spreadOf(figures(bare, 'processorMicroseconds')),
      goal: null,
    },
    {
      what: 'Processor time of a decision, against bare',
      spread: ratio('processorMicroseconds'),
      goal: processorGoal,
    },
    {
      what: `Processor time of a decision with a module of ${moduleRules.toLocaleString('en')} rules, against bare`,
      spread: ratio('processorMicroseconds', restricted),
      goal: processorGoal,
    },
  ];
  if (behindNginx.length === 0) return findings;
  const [oneUnguarded, oneGuarded, manyUnguarded, manyGuarded] = behindNginx;
  return [
    ...findings,
    {
      what: 'Latency added behind nginx, in ms, 1 connection',
      spread: added(oneUnguarded, oneGuarded),
      goal: addedMsGoal,
    },
    {
      what: `Latency added behind nginx, in ms, ${connections} connections`,
      spread: added(manyUnguarded, manyGuarded),
      goal: null,
    },
  ];
}

/** Returns a question as nginx asks it, with a client address of its own for each `n`. */
function questionOf({ edgeId }: GateTemplate, { path, cookie }: Page, n: number): Call {
  const headers = {
    Host: 'gate',
    'X-Original-Method': 'GET',
    'X-Original-URL': `https://${application.host}:443${path}`,
    'X-Forwarded-For': `10.20.${(n >> 8) & 255}.${n & 255}`,
    Cookie: cookie,
    ...browser,
  };
  return { method: 'GET', path: `/gate/auth-request/${edgeId}`, headers };
}

/** Returns a browser's request to the application. */
function visitOf({ path, cookie }: Page): Call {
  return { method: 'GET', path, headers: { Host: application.host, Cookie: cookie, ...browser } };
}
