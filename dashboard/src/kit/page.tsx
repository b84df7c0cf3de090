// The frame of a page: title, actions and panels.

import { type ReactNode, useEffect, useRef } from 'react';
import { useStore } from '../client/use-store.ts';
import { shut } from './door.ts';
import { Link } from './link.tsx';
import styles from './page.module.css';
import { useShownCalls } from './shown-calls.tsx';
import { thingsToDo, titleOf } from './title.ts';
import { areToastsFocused } from './toast.tsx';

interface PageProps {
  readonly title: string;
  /** One sentence for first-time visitors. */
  readonly description?: ReactNode;
  /** The parent pages, the topmost first. */
  readonly crumbs?: readonly { readonly title: string; readonly href: string }[];
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page. Its heading is focused on arrival, so that a screen reader announces it. */
export function Page({ title, description, crumbs = [], actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isShut = useStore(shut);
  const todo = useStore(thingsToDo);
  useEffect(() => {
    // While the door is shut, it sets the document title.
    if (!isShut) document.title = titleOf(title, todo);
  }, [title, todo, isShut]);
  useEffect(() => {
    // The page may load while the user is already about to undo the action that led to it.
    if (!areToastsFocused()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        {crumbs.length > 0 && (
          <nav className={styles.crumbs} aria-label="Above this page">
            {crumbs.map((crumb) => (
              <Link key={crumb.href} href={crumb.href}>
                {crumb.title}
              </Link>
            ))}
          </nav>
        )}
        <div className={styles.line}>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {actions !== undefined && <div className="row">{actions}</div>}
        </div>
        {description !== undefined && <p className={styles.lede}>{description}</p>}
      </header>
      {children}
    </div>
  );
}

interface PanelProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** Whether the content extends to the edges, as a table does. */
  readonly flush?: boolean;
  /** Whether the title is not shown, because the page already has it. */
  readonly bare?: boolean;
  readonly children: ReactNode;
}

/** A titled section of a page. */
export function Panel({ title, description, actions, flush = false, bare = false, children }: PanelProps) {
  const calls = useShownCalls();
  return (
    <section className={styles.panel} aria-label={title}>
      {!bare && (
        <div className={styles.panelHead}>
          <div>
            <h2>{title}</h2>
            {description !== undefined && <p>{description}</p>}
          </div>
          <div className="row">
            {calls.button}
            {actions}
          </div>
        </div>
      )}
      <div className={flush ? styles.flush : styles.panelBody}>{bare ? children : calls.around(children)}</div>
    </section>
  );
}

/** A list of names with their values. */
export function Details({ children }: { children: ReactNode }) {
  return <dl className={styles.details}>{children}</dl>;
}

/** A name with its value. */
export function Detail({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
