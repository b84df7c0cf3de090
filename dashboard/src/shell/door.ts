// The sign-in screen. It is drawn without React and its components, which weigh fifty times as much as its single field, so that it
// can be used before they have loaded.

import { commands } from '../client/commands.ts';
import { type Problem, remedies } from '../client/problem.ts';
import { isPassing, whenReachable } from '../client/reachable.ts';
import { findOffer, signIn, signInAt } from '../client/session.ts';
import buttons from '../kit/button.module.css';
import { copyText } from '../kit/clipboard.ts';
import copies from '../kit/copy.module.css';
import { door } from '../kit/door.ts';
import fields from '../kit/fields.module.css';
import { markPath } from '../kit/mark.ts';
import notices from '../kit/notice.module.css';
import styles from './door.module.css';

/** The logo of the dashboard, as in `MarkIcon`. */
const mark =
  '<svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" ' +
  `aria-hidden="true"><path d="${markPath}" /></svg>`;

/** Creates a DOM element. */
function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** Stops waiting for the server to be back. */
let stopWaiting: (() => void) | undefined;

/** Draws the door, with the given content. */
function draw(...content: readonly Node[]): void {
  stopWaiting?.();
  stopWaiting = undefined;
  const title = make('h1', { innerHTML: `${mark} Sallyport` });
  const card = make('div', { className: styles.card ?? '' }, title, ...content);
  door.replaceChildren(make('main', { className: styles.door ?? '' }, card));
  document.title = 'Sign in · Sallyport';
}

const classesOf = (...names: readonly (string | undefined)[]) => ({ className: names.join(' ') });

/** Shows a loading indicator that looks like `Loading`. */
export function drawLoading(): void {
  stopWaiting?.();
  const loading = make('div', { ...classesOf(notices.loading), role: 'status', ariaLabel: 'Loading' });
  loading.append(make('span', {}), make('span', {}), make('span', {}));
  door.replaceChildren(loading);
}

/** Marks a button as busy. Its handler must ignore presses meanwhile. */
function setBusy(button: HTMLButtonElement, isBusy: boolean): void {
  button.ariaDisabled = isBusy ? 'true' : null;
  button.ariaBusy = isBusy ? 'true' : null;
}

/** Creates a command with a button that copies it. */
function makeCommand(text: string): HTMLElement {
  const said = make('span', { role: 'status' }, 'Copy');
  const button = make('button', { ...classesOf(buttons.button, buttons.usual), type: 'button' }, said);
  button.onclick = async () => {
    said.textContent = (await copyText(text)) ? 'Copied' : 'Not copied: select it instead';
  };
  // Scrollable content must be reachable by keyboard (WCAG 2.2, 2.1.1).
  const figure = make('figure', { tabIndex: 0, ariaLabel: 'Command' }, make('pre', {}, text));
  return make('div', classesOf(copies.block), figure, button);
}

/**
 * Says why it is not possible to sign in from here, and what whoever runs the server can do about it. What passes by itself is tried
 * again by itself.
 *
 * @param retry tries again, and draws something else when it is done
 */
export function drawBarred(problem: Problem, retry: () => void): void {
  const { code, message, command = '' } = problem;
  // After a failed retry, the new button takes the focus of the old one.
  const isAgain = door.contains(document.activeElement);
  const text = make('div', classesOf(notices.text), `${message.slice(0, message.length - command.length)} `);
  if (command !== '') text.append(makeCommand(command));
  text.append(`${remedies[code] ?? ''} `);
  text.append(make('span', classesOf(notices.code), code));
  const button = make('button', { ...classesOf(buttons.button, buttons.usual), type: 'button' }, 'Try again');
  const tryAgain = () => {
    if (button.ariaBusy === 'true') return;
    setBusy(button, true);
    retry();
  };
  button.onclick = tryAgain;
  draw(make('div', { ...classesOf(notices.notice, notices.bad), role: 'alert' }, text), button);
  if (isAgain) button.focus();
  if (isPassing(problem)) stopWaiting = whenReachable(tryAgain);
}

/** Shows the providers at which people sign in, above the field for a key; alone where keys do not sign in. */
async function showProviders(ways: HTMLElement, byKey: readonly HTMLElement[]): Promise<void> {
  const { providers, keys } = await findOffer();
  for (const element of byKey) element.hidden = !keys;
  ways.append(
    ...providers.map(({ id, name }) =>
      make('a', { ...classesOf(buttons.button, buttons.primary), href: signInAt(id) }, `Sign in with ${name}`),
    ),
  );
  if (providers.length > 0 && keys) ways.append(make('p', { className: 'muted' }, 'Or with an API key:'));
}

/**
 * Asks for an API key, or leads to a provider.
 *
 * @param hasEnded whether a session has just ended
 */
export function drawDoor(hasEnded: boolean): void {
  const field = make('input', {
    ...classesOf(fields.input, fields.mono),
    id: 'key',
    type: 'password',
    autocomplete: 'current-password',
    spellcheck: false,
  });
  field.setAttribute('aria-describedby', 'hint problem');
  const problem = make('span', { ...classesOf(fields.error), id: 'problem', role: 'alert' });
  const progress = make('span', { ...classesOf(fields.hint), role: 'status' });
  const button = make('button', { ...classesOf(buttons.button, buttons.primary), type: 'submit' }, 'Sign in');
  const say = (text: string | null) => {
    problem.textContent = text;
    field.ariaInvalid = String(text !== null);
  };
  const setRunning = (isRunning: boolean) => {
    setBusy(button, isRunning);
    progress.textContent = isRunning ? 'Signing in' : '';
  };
  const run = async () => {
    if (button.ariaBusy === 'true') return;
    if (field.value.trim() === '') return say('Paste an API key.');
    setRunning(true);
    const problem = await signIn(field.value);
    if (problem?.command !== undefined) return drawBarred(problem, () => drawDoor(hasEnded));
    say(problem && `${problem.message} ${remedies[problem.code] ?? ''}`);
    // On success, the button stays busy until the dashboard replaces the door.
    if (problem !== null) setRunning(false);
  };
  const form = make(
    'form',
    {
      onsubmit(event) {
        event.preventDefault();
        void run();
      },
    },
    make(
      'div',
      classesOf(fields.field),
      make('label', { ...classesOf(fields.label), htmlFor: 'key' }, 'API key'),
      field,
      make(
        'span',
        { ...classesOf(fields.hint), id: 'hint' },
        'It is exchanged for a session of this browser, and not kept here.',
      ),
      problem,
      progress,
    ),
    button,
  );
  const ended = make('div', classesOf(notices.text), 'Your session has ended. Sign in to go on where you were.');
  const others = make('p', { className: 'muted' });
  others.append(
    'The first start prints a key. Others are made on the page "API keys", or with ',
    make('code', {}, commands.createKey()),
    '.',
  );
  const ways = make('div', { className: styles.ways ?? '' });
  void showProviders(ways, [form, others]);
  draw(
    ...(hasEnded ? [make('div', { ...classesOf(notices.notice, notices.caution), role: 'note' }, ended)] : []),
    ways,
    form,
    others,
  );
  field.focus();
}
