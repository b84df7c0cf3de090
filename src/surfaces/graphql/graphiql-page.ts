// GraphiQL with a field for the API key above it. The key stays in the session storage of the tab: it survives a reload,
// no other tab has it, and it is gone when the tab is closed.

import { remedies } from '../../domain/remedies.ts';
import { look, topBar, writeDocument } from '../kit/document.ts';
import { html } from '../kit/html.ts';
import type { ContentSecurityPolicy } from '../kit/protection.ts';

/** What the page loads: its own parts, and the queries that are run. The editor writes styles into the page. */
export const graphiqlPagePolicy: ContentSecurityPolicy = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'worker-src': ["'self'"],
  'connect-src': ["'self'"],
  'font-src': ['data:'],
  'img-src': ["'self'", 'data:'],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

// The field has no name and the form no action: no failure can put the key into a URL.
const keyForm = html`<form class="key" id="key-form" autocomplete="off">
<label for="key">API key</label>
<input id="key" type="password" required spellcheck="false" autocomplete="off" autocapitalize="none" placeholder="Paste an API key" aria-describedby="key-state">
<button id="key-use">Use key</button>
<button id="key-forget" type="button" hidden>Forget key</button>
<p id="key-state" role="status"></p>
</form>`;

export const graphiqlPage = writeDocument(
  'Sallyport GraphiQL',
  html`<link rel="stylesheet" href="/graphql/graphiql.css">
<link rel="stylesheet" href="/graphql/page.css">
<script src="/graphql/graphiql.js" defer></script>
<script src="/graphql/start.js" defer></script>`,
  html`${topBar('/graphql', keyForm)}
<noscript>This page needs JavaScript. The schema is at <a href="/schema.graphql">/schema.graphql</a>.</noscript>
<main id="content"></main>`,
);

const defaultQuery = `# Run with Ctrl-Enter

query Overview {
  viewer {
    account {
      name
    }
  }
  ipPolicies(first: 10) {
    totalCount
    nodes {
      id
      description
    }
  }
}
`;

export const graphiqlScript = `
const storedKey = 'sallyport:api-key';
const input = document.getElementById('key');
const form = document.getElementById('key-form');
const use = document.getElementById('key-use');
const forget = document.getElementById('key-forget');
const state = document.getElementById('key-state');
const hint = 'The first start of the server prints a key; “${remedies.createKey()}” makes more.';
let key = sessionStorage.getItem(storedKey) ?? '';

const show = (text, look) => {
  state.textContent = text;
  form.className = 'key ' + look;
  input.readOnly = look === 'known';
  input.setAttribute('aria-invalid', String(look === 'refused'));
  use.hidden = look === 'known';
  forget.hidden = look !== 'known';
};

// The results of a subscription, until GraphiQL or the server ends it.
const eventsOf = (body) => {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      for (;;) {
        const end = text.indexOf('\\n\\n');
        if (end === -1) {
          const { done, value } = await reader.read();
          if (done) return { done: true, value: undefined };
          text += value;
          continue;
        }
        const data = /^data: (.+)$/m.exec(text.slice(0, end))?.[1];
        text = text.slice(end + 2);
        if (data !== undefined) return { done: false, value: JSON.parse(data) };
      }
    },
    async return() {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
};

const post = async (body, token) => {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: {
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      Authorization: 'Bearer ' + token,
    },
    body: JSON.stringify(body),
  });
  if (response.headers.get('Content-Type') === 'text/event-stream') return eventsOf(response.body);
  const answer = await response.json();
  if (response.status === 401) show('This key is unknown, has expired or has been revoked.', 'refused');
  return answer;
};

// Finds whose key it is, and keeps it if it is somebody's.
const enter = async (token) => {
  // A header takes nothing else, and a key has nothing else.
  if (!/^[\\x21-\\x7e]+$/.test(token)) {
    show('This is not an API key.', 'refused');
    return false;
  }
  show('Checking the key…', '');
  try {
    const { data } = await post({ query: '{ viewer { account { name } } }' }, token);
    if (!data?.viewer) {
      if (form.className !== 'key refused') show('The server cannot check the key now. Retry in a few seconds.', 'refused');
      return false;
    }
    key = token;
    sessionStorage.setItem(storedKey, token);
    input.value = token;
    show('Account ' + data.viewer.account.name + '. The key is kept until you close this tab.', 'known');
    return true;
  } catch {
    show('The server cannot be reached. Retry in a few seconds.', 'refused');
    return false;
  }
};

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  // The query that people find here is theirs to run once they have a key; one of their own is not ours to run.
  if ((await enter(input.value.trim())) && untouched) document.querySelector('.graphiql-execute-button')?.click();
});
forget.addEventListener('click', () => {
  key = '';
  sessionStorage.removeItem(storedKey);
  input.value = '';
  show(hint, '');
  input.focus();
});
input.value = key;
if (key === '') show(hint, '');
else enter(key);

const schemaQuery = 'PublicSchema';
const run = async ({ query, variables, operationName }) => {
  // The schema is public, and is asked for before there is a key.
  if (operationName === schemaQuery) return (await fetch('/graphql/introspection.json')).json();
  if (key === '') {
    input.focus();
    return { errors: [{ message: 'Enter an API key above, then run this again.' }] };
  }
  return post({ query, variables, operationName }, key);
};

const defaultQuery = ${JSON.stringify(defaultQuery)};
const lastTab = () => {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState'));
    return tabs[activeTabIndex];
  } catch {
    // There was no visit before, or it left nothing that can be read.
  }
};
// GraphiQL adds an empty tab on each visit, unless it is told which of those it kept was the last.
const { query, variables } = lastTab() ?? { query: defaultQuery };
let untouched = query === defaultQuery;
const isFirstVisit = localStorage.getItem('graphiql:visiblePlugin') === null;
const isWide = matchMedia('(min-width: 64rem)').matches;
globalThis.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) =>
    '/graphql/' + ({ graphql: 'graphql', json: 'json' }[label] ?? 'editor') + '.worker.js',
};
YogaGraphiQL.renderYogaGraphiQL(document.getElementById('content'), {
  fetcher: run,
  introspectionQueryName: schemaQuery,
  defaultQuery,
  query,
  variables,
  title: '',
  logo: '',
  // The key has a field of its own; headers would be kept where they can be read later.
  isHeadersEditorEnabled: false,
  shouldPersistHeaders: false,
  showPersistHeadersSettings: false,
  defaultEditorToolsVisibility: false,
  visiblePlugin: isFirstVisit && isWide ? 'Documentation Explorer' : undefined,
  // Without this, each edit would go into the address of the page.
  onEditQuery: () => { untouched = false; },
});
`;

/** Everything that takes its colours from GraphiQL: its panes, and what it opens above them. */
const colored =
  ':is(.graphiql-container, .graphiql-dialog, .graphiql-dialog-overlay, .graphiql-tooltip, [data-radix-popper-content-wrapper])';
const light =
  '{ --color-primary: 221, 70%, 47%; --color-neutral: 225, 9%, 28%; --color-warning: 36, 100%, 27%; --color-base: 0, 0%, 100%; }';
const dark = '{ --color-primary: 217, 90%, 62%; --color-neutral: 220, 10%, 76%; --color-base: 220, 10%, 6%; }';

/** The style of the page: the bar, our colours for GraphiQL, and its panes below each other on phones. */
export const graphiqlStyle = `${look}
body.graphiql-dark { color-scheme: dark; }
body.graphiql-light { color-scheme: light; }
html body ${colored} ${light}
html body.graphiql-dark ${colored} ${dark}
@media (prefers-color-scheme: dark) { html body:not(.graphiql-light) ${colored} ${dark} }
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; background: var(--page); }
#content { flex: 1; min-height: 0; }
#content .graphiql-container { height: 100%; }
#content .graphiql-logo { display: none; }
.key { display: flex; flex: 1; flex-wrap: wrap; align-items: center; justify-content: flex-end; gap: .375rem .5rem; }
.key label { font-weight: 500; }
.key input, .key button { box-sizing: border-box; height: 2rem; border: 1px solid var(--control); border-radius: 6px; background: var(--page); color: var(--text); font: inherit; }
.key input { width: 15rem; padding: 0 .625rem; }
.key input::placeholder { color: var(--muted); opacity: 1; }
.key input:read-only { border-color: var(--line); background: var(--raised); color: var(--muted); }
.key button { padding: 0 .75rem; cursor: pointer; }
.key #key-use { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 500; }
.key [hidden] { display: none; }
.key p { order: -1; margin: 0 .5rem 0 0; color: var(--muted); font-size: .8125rem; text-wrap: balance; }
.key.refused p { color: var(--bad); }
.key.refused input { border-color: var(--bad); }
@media (max-width: 48rem) {
  .key { flex-basis: 100%; }
  .key label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .key input { flex: 1; width: auto; min-width: 0; font-size: 1rem; }
  .key p { order: 1; flex-basis: 100%; margin: 0; }
  #content .graphiql-container .graphiql-container { flex-direction: column-reverse; }
  #content .graphiql-sidebar { flex-direction: row; width: auto; padding: 0 .5rem; border-top: 1px solid var(--line); }
  #content .graphiql-sidebar > button[style] { margin-top: 0 !important; margin-left: auto; }
  #content .graphiql-main { position: relative; min-height: 0; }
  #content .graphiql-sessions { margin: 0; border-radius: 0; }
  #content .graphiql-sessions > :last-child { flex-direction: column; }
  #content .graphiql-horizontal-drag-bar { display: none; }
  #content .graphiql-response { min-height: 0; }
  /* GraphiQL moves a pane that is closed out of sight; one that is open covers the editors. */
  #content .graphiql-plugin:not([style*="-1000px"]) { position: absolute; inset: 0; z-index: 5; border: 0; background: var(--page); }
}
`;
