// The style of the guide: the colours and type of the server's other pages.

import { look } from '../../src/surfaces/kit/document.ts';

/** The stylesheet of all pages of the guide. */
export const guideStyle = `${look}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: .875rem/1.6 var(--sans); -webkit-text-size-adjust: 100%; }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
a { color: var(--accent); text-underline-offset: .2em; }
:is(a, pre, .wide):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
h1, h2, h3, h4 { line-height: 1.3; letter-spacing: -.01em; font-weight: 600; text-wrap: balance; }
h1 { margin: 1rem 0; font-size: 1.25rem; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1rem; }
h3, h4 { margin: 1.75rem 0 .5rem; font-size: .875rem; }
p, ul, ol, pre, .wide { margin: .75rem 0; }
li { margin: .25rem 0; }
p, li, td { overflow-wrap: anywhere; }
code { font: 1em var(--mono); font-size: .8125rem; padding: .1em .3em; border-radius: 4px; background: var(--raised); }
pre { padding: .75rem 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); line-height: 1.5; }
pre code { padding: 0; background: none; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .8125rem; }
th, td { min-width: 6rem; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--muted); font-size: .75rem; font-weight: 600; }
img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px; }
`;
