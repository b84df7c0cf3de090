// Decides whether a request may pass, with the reason for each step. The same for every proxy and for `evaluateGate`. Pure.

import { type PassRight, passesAt, passScope } from '../access/pass-right.ts';
import type { MaybePromise } from '../concurrency/at-once.ts';
import { type Address, wordsOf } from '../ip/cidr.ts';
import { letPass } from '../ip/rule-table.ts';
import { called, listed, type Nameable } from '../wording.ts';
import type { EdgeTable, LoginRule, RouteRule } from './edge-table.ts';
import type { Session } from './login.ts';
import { readHostport, readPath } from './url.ts';

/** A request, as the proxy describes it. */
export interface GateRequest {
  readonly method: string;
  readonly scheme: string;
  readonly host: string;
  readonly target: string;
  readonly address: Address;
}

/** The IP restrictions that object to the address of a client, oldest first. */
export interface Objections {
  /** The enforced ones. If there are any, the address is refused. */
  readonly refusedBy: readonly Nameable[];
  /** Those that only warn. If there are only these, the address is let in with a warning. */
  readonly wouldRefuse: readonly Nameable[];
}

/** The rules that a decision is based on. */
export interface GateRules {
  readonly edge: EdgeTable;
  readonly objections: Objections;
  /** Whether paths may have semicolons (see `readPath`). */
  readonly allowSemicolon: boolean;
}

/**
 * Returns the rules for an address at an edge; null if the edge does not exist. Rules in memory are returned synchronously, without
 * a promise.
 */
export type GateRulesFor = (edgeId: string, address: Address) => MaybePromise<GateRules | null>;

/** The checks, in order. The first one that refuses ends the decision. */
const gateChecks = ['request', 'host', 'path', 'route', 'address', 'ip_restriction', 'login', 'key', 'groups'] as const;
export type GateCheck = (typeof gateChecks)[number];

/** The possible outcomes of a check. */
const gateEffects = ['pass', 'warn', 'refuse'] as const;
export type GateEffect = (typeof gateEffects)[number];

/** A check that was carried out. */
export interface GateStep {
  readonly check: GateCheck;
  readonly effect: GateEffect;
  /**
   * Returns a sentence for the people who configure the edge, never for its visitors. The gate itself never reads it: to write the
   * address into the step of a module took as long as the rest of the decision (0.3 µs).
   */
  readonly message: () => string;
}

/** Whether a request may pass, and why. */
export interface GateDecision {
  readonly allowed: boolean;
  readonly steps: readonly GateStep[];
  /** The route; null if the request was refused before a route was found. */
  readonly routeId: string | null;
}

/** The form of an HTTP method (RFC 9110, section 9.1). */
const methodForm = /^[!#$%&'*+.^_`|~\w-]+$/;

/** Creates the refusal of a malformed request. */
export function refuseMalformed(message: string): GateDecision {
  return { allowed: false, steps: [{ check: 'request', effect: 'refuse', message: () => message }], routeId: null };
}

function passedStep(check: GateCheck, message: string): GateStep {
  return { check, effect: 'pass', message: () => message };
}

/** The steps that are the same for every request. */
const same = {
  path: passedStep('path', 'The path is unambiguous.'),
  address: passedStep('address', 'No IP restriction refuses the address.'),
  noLogin: passedStep('login', 'The route has no login module.'),
  loginDisabled: passedStep('login', 'The login module of the route is disabled.'),
  options: passedStep('login', 'OPTIONS requests pass without a login.'),
  session: passedStep('login', 'There is a session.'),
  key: passedStep('key', 'The API key passes here.'),
  allGroups: passedStep('groups', 'All groups are authorized.'),
  group: passedStep('groups', 'The user is in an authorized group.'),
} as const;

/** A request that has passed all checks but the login: it may pass if its sender is a permitted user. */
export interface LoginNeeded {
  /** The host that it was sent to, in the form that edges use. */
  readonly hostport: string;
  readonly route: RouteRule;
  readonly login: LoginRule;
  readonly steps: readonly GateStep[];
}

/**
 * Decides whether a request may pass.
 *
 * @param session the client's session at the route; null if it has none
 */
export function decide(rules: GateRules, request: GateRequest, session: Session | null): GateDecision {
  const found = decideBeforeLogin(rules, request);
  return 'login' in found ? decideLogin(found, session) : found;
}

/**
 * Carries out the checks that do not depend on the user. If no login is needed, they decide.
 *
 * @param nameOf names IP restrictions in the steps
 */
export function decideBeforeLogin(
  { edge, objections, allowSemicolon }: GateRules,
  { method, scheme, host, target, address }: GateRequest,
  nameOf: (restriction: Nameable) => string = called,
): GateDecision | LoginNeeded {
  const steps: GateStep[] = [];
  const refused = (check: GateCheck, message: () => string, routeId: string | null = null): GateDecision => {
    steps.push({ check, effect: 'refuse', message });
    return { allowed: false, steps, routeId };
  };

  const hostport = readHostport(scheme, host);
  if (hostport === null || !methodForm.test(method)) {
    return refused('request', () => 'The request has no usable method, scheme or host.');
  }
  if (!edge.hasHost(hostport)) return refused('host', () => `The edge does not serve ${hostport}.`);
  steps.push({ check: 'host', effect: 'pass', message: () => `The edge serves ${hostport}.` });

  const read = readPath(target, allowSemicolon);
  if ('problem' in read) return refused('path', () => `The path ${read.problem}: programs could read it differently.`);
  steps.push(same.path);

  const route = edge.routeOf(read.path);
  if (route === null) return refused('route', () => 'No route of the edge matches the path.');
  const { id: routeId, login } = route;
  steps.push({ check: 'route', effect: 'pass', message: () => `The ${route.matchType} ${route.match} matches.` });

  const refusing = objections.refusedBy[0];
  const warning = objections.wouldRefuse[0];
  if (refusing !== undefined) {
    return refused('address', () => `The IP restriction ${nameOf(refusing)} refuses ${address}.`, routeId);
  }
  if (warning === undefined) steps.push(same.address);
  else {
    const message = () => `The IP restriction ${nameOf(warning)}, which is not enforced, would refuse ${address}.`;
    steps.push({ check: 'address', effect: 'warn', message });
  }

  const byModule = decideByModule(route, address);
  if (byModule !== null) {
    const { step, decided } = byModule;
    steps.push(step);
    if (decided) return { allowed: step.effect === 'pass', steps, routeId };
  }

  if (login?.enabled !== true) {
    steps.push(login === null ? same.noLogin : same.loginDisabled);
    return { allowed: true, steps, routeId };
  }
  if (login.optionsPassthrough && method === 'OPTIONS') {
    steps.push(same.options);
    return { allowed: true, steps, routeId };
  }
  return { hostport, route, login, steps };
}

/**
 * Carries out the check of the IP restriction module of a route; null if it has none.
 *
 * @returns the step, and whether it decides the request: it does if it refuses, or if an allowed address suffices
 */
function decideByModule(
  { ipRestriction, login }: RouteRule,
  address: Address,
): { readonly step: GateStep; readonly decided: boolean } | null {
  if (ipRestriction === null) return null;
  const { enabled, mode, tables } = ipRestriction;
  const name = 'The IP restriction module of the route';
  const made = (effect: GateEffect, message: () => string, decided: boolean) => ({
    step: { check: 'ip_restriction', effect, message } as const,
    decided,
  });
  if (!enabled) return made('pass', () => `${name} is disabled.`, false);
  const suffices = mode === 'suffice';
  if (letPass(tables, wordsOf(address))) {
    return made(
      'pass',
      () => `${name} allows ${address}${suffices ? ', which suffices: no login is needed' : ''}.`,
      suffices,
    );
  }
  const refusal = `${name} does not allow`;
  if (!suffices) return made('refuse', () => `${refusal} ${address}.`, true);
  return login?.enabled === true
    ? made('pass', () => `${refusal} ${address}: a login is needed.`, false)
    : made('refuse', () => `${refusal} ${address}, and the route has no login.`, true);
}

/** Decides about a request that needs a login, by its sender's session; null if there is none. */
export function decideLogin({ route, login, steps }: LoginNeeded, session: Session | null): GateDecision {
  const refused = (...last: GateStep[]): GateDecision => {
    return { allowed: false, steps: [...steps, ...last], routeId: route.id };
  };
  if (session === null) {
    const message = () => 'The route requires a login, and there is no session.';
    return refused({ check: 'login', effect: 'refuse', message });
  }
  if (!isMember(session, login)) {
    const message = () => `The user is in none of the authorized groups. ${whatCame(session)}`;
    return refused(same.session, { check: 'groups', effect: 'refuse', message });
  }
  const grouped = login.authorizedGroups.size === 0 ? same.allGroups : same.group;
  return { allowed: true, steps: [...steps, same.session, grouped], routeId: route.id };
}

/** An API key that a program brings. */
export interface ProgramKey {
  readonly id: string;
  /** How it passes; absent without the scope for that. */
  readonly pass?: PassRight | undefined;
}

/** Returns what an application is told of a program: its name is the id of its key. */
export function programSession({ id, pass }: ProgramKey): Session {
  return { user: id, email: null, name: null, groups: pass?.groups ?? [], attributeNames: null };
}

/** Decides about a request that needs a login, by the API key that it brings; null if there is no such key in the account. */
export function decideKey(
  { route, login, steps }: LoginNeeded,
  { id: edgeId }: Pick<EdgeTable, 'id'>,
  key: ProgramKey | null,
): GateDecision {
  const refused = (...last: GateStep[]): GateDecision => {
    return { allowed: false, steps: [...steps, ...last], routeId: route.id };
  };
  const refusedKey = (message: string) => refused({ check: 'key', effect: 'refuse', message: () => message });
  if (key === null) return refusedKey('The API key is unknown, has expired or has been revoked.');
  if (key.pass === undefined) return refusedKey(`The API key lacks the scope ${passScope}.`);
  if (!passesAt(key.pass, edgeId, route.id)) return refusedKey('The API key is limited to another edge or route.');
  if (!isMember(key.pass, login)) {
    const message = () => 'The program is in none of the authorized groups.';
    return refused(same.key, { check: 'groups', effect: 'refuse', message });
  }
  const grouped = login.authorizedGroups.size === 0 ? same.allGroups : same.group;
  return { allowed: true, steps: [...steps, same.key, grouped], routeId: route.id };
}

/** Says which groups and attributes an identity provider has sent, for those who look for a group in vain. */
function whatCame({ groups, attributeNames }: Session): string {
  const came = groups.length === 0 ? 'No groups came' : `The groups that came: ${listed(groups, quoted)}`;
  const names = attributeNames ?? [];
  const attributes = names.length === 0 ? 'none' : names.map(quoted).join(', ');
  return attributeNames === null ? `${came}.` : `${came}. The attributes that came: ${attributes}.`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Returns whether a user is in an authorized group. Identity providers may put white space around group names. */
function isMember({ groups }: Pick<Session, 'groups'>, { authorizedGroups }: LoginRule): boolean {
  return authorizedGroups.size === 0 || groups.some((group) => authorizedGroups.has(group.trim()));
}
