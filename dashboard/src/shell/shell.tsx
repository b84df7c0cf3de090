// The frame around every page: navigation, account, and connection state.

import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { areas } from '../areas/areas.ts';
import { pressingOf, useAttention } from '../attention/attention.tsx';
import { type LiveState, useLive } from '../client/live.ts';
import { allows, useViewer } from '../client/rights.ts';
import { serverUrl } from '../client/server.ts';
import { useStore } from '../client/use-store.ts';
import { useAddressParameters } from '../kit/address.ts';
import { Button } from '../kit/button.tsx';
import { shut } from '../kit/door.ts';
import { CloseIcon, LineIcon, MarkIcon, MenuIcon, SearchIcon } from '../kit/icons.tsx';
import { laterAbove } from '../kit/later.tsx';
import { LeaveQuestion } from '../kit/leave-question.tsx';
import { Link } from '../kit/link.tsx';
import { Notice } from '../kit/notice.tsx';
import { useSettled } from '../kit/settled.ts';
import { Toasts } from '../kit/toast.tsx';
import { pageAt } from '../pages.ts';
import { AccountName } from './account-name.tsx';
import { navigation, soughtParameter } from './navigation.ts';
import styles from './shell.module.css';

// Loaded on demand, because few visits need them.
const Palette = laterAbove(() => import('./palette.tsx'));
const AccountMenu = laterAbove(() => import('./account-menu.tsx'));

const stateTexts: Readonly<Record<LiveState, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost, trying again',
  forbidden: 'Looks every 30 seconds',
};

/** Milliseconds after which a notice says that the connection is lost. Most connections are back sooner. */
const lostMs = 3_000;

/** The signed-in account, with its menu. The menu is loaded when it is first opened, because its code weighs as much as React. */
function Account() {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles.account}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <AccountName />
      </button>
      {isOpen && <AccountMenu button={button} close={() => setOpen(false)} />}
    </>
  );
}

/** How many things need attention. */
function TodoCount() {
  const groups = pressingOf(useAttention());
  if (groups.length === 0) return null;
  const isCritical = groups.some(({ severity }) => severity === 'critical');
  return (
    <span className={styles.todo} data-critical={isCritical || undefined}>
      {groups.length}
      <span className="hidden"> {groups.length === 1 ? 'needs' : 'need'} attention</span>
    </span>
  );
}

function Navigation() {
  const [path] = useLocation();
  const { scopes, person } = useViewer();
  return (
    <nav className={styles.nav} aria-label="Pages">
      {navigation.map(({ title, entries }) => {
        const open = entries.filter(
          ({ scope, isForPeople }) =>
            (scope === null || allows(scopes, scope)) && (isForPeople !== true || person != null),
        );
        if (open.length === 0) return null;
        return (
          <div key={title}>
            {title !== '' && <p className={styles.group}>{title}</p>}
            <ul>
              {open.map(({ title: name, href, icon }) => {
                const isHere = href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`);
                return (
                  <li key={href}>
                    <Link href={href} className={styles.entry} {...(isHere && { 'aria-current': 'page' })}>
                      <LineIcon path={icon} /> {name}
                      {href === '/' && <TodoCount />}
                    </Link>
                  </li>
                );
              })}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

/** The link to the part of the guide that is about the page. */
function Help() {
  const [path] = useLocation();
  const page = pageAt(path);
  const area = areas.find(({ pages }) => page !== undefined && pages.includes(page));
  return (
    <a
      className={styles.help}
      href={`${serverUrl}/docs/guide/${area?.guide ?? 'dashboard'}`}
      target="_blank"
      rel="noreferrer"
    >
      Help
    </a>
  );
}

/** The frame, with the page in its main part. */
export function Shell({ children }: { children: ReactNode }) {
  const live = useLive();
  const liveState = useStore(live.state);
  const isLost = useSettled(liveState, lostMs) === 'lost' && liveState === 'lost';
  const { scopes } = useViewer();
  const [path] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [isSearching, setSearching] = useState(false);
  const [parameters, setParameters] = useAddressParameters();
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigating closes the menu, so that the new page is visible.
  useEffect(() => setOpen(false), [path]);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (shut.get()) return;
      if (event.key === 'Escape') setOpen(false);
      const inField = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
      const isCommand = event.key === 'k' && (event.metaKey || event.ctrlKey);
      if (!isCommand && (event.key !== '/' || inField || event.metaKey || event.ctrlKey || event.altKey)) return;
      event.preventDefault();
      setSearching(true);
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
  const onlyReads = scopes.every((scope) => scope === 'read' || scope.endsWith(':read'));
  const brand = (
    <Link href="/" className={styles.brand}>
      <MarkIcon /> Sallyport
    </Link>
  );
  return (
    <div className={styles.shell}>
      {/* The full path, because `#main` alone is relative to the base URL, which is the overview. */}
      <a className={styles.skip} href={`${location.pathname}${location.search}#main`}>
        Skip to content
      </a>
      <section className={styles.bar} aria-label="Top of the page" inert={isOpen}>
        {brand}
        <div className="row">
          <Button look="icon" label="Search" onPress={() => setSearching(true)}>
            <SearchIcon />
          </Button>
          <Button
            look="icon"
            label={isOpen ? 'Close the navigation' : 'Open the navigation'}
            onPress={() => setOpen(!isOpen)}
          >
            {isOpen ? <CloseIcon /> : <MenuIcon />}
          </Button>
        </div>
      </section>
      <header className={styles.side} data-open={isOpen || undefined}>
        <div className="row">
          {brand}
          {isOpen && (
            <Button look="icon" label="Close the navigation" onPress={() => setOpen(false)}>
              <CloseIcon />
            </Button>
          )}
        </div>
        <button type="button" className={styles.search} onClick={() => setSearching(true)}>
          <SearchIcon />
          <span>Search</span>
          <kbd>/</kbd>
        </button>
        <Navigation />
        <div className={styles.foot}>
          <p className={styles.live} data-state={liveState} role="status">
            {stateTexts[liveState]}
          </p>
          <Help />
          <Account />
        </div>
      </header>
      <main className={styles.main} id="main" tabIndex={-1} inert={isOpen}>
        <div className={styles.notices}>
          {isLost && (
            <Notice tone="caution" title="The connection to the server is lost.">
              What you see may have changed since. It is tried again by itself.
            </Notice>
          )}
          {onlyReads && <Notice>This key can only read: nothing can be changed here.</Notice>}
        </div>
        {children}
      </main>
      <Toasts />
      <LeaveQuestion />
      {(isSearching || parameters.has(soughtParameter)) && (
        <Palette
          close={() => {
            setSearching(false);
            // So that coming back to the page does not open the palette again.
            setParameters({ [soughtParameter]: '' });
          }}
        />
      )}
    </div>
  );
}
