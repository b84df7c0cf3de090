// The frame of a page: its title, what can be done there, and panels.

import { type ReactNode, useEffect, useRef } from 'react';
import { useStore } from '../client/use-store.ts';
import { shut } from './door.ts';
import { Link } from './link.tsx';
import styles from './page.module.css';
import { areToastsFocused } from './toast.tsx';

/** What a page is called, where it belongs, and what can be done with it. */
interface PageProps {
  readonly title: string;
  /** One sentence for somebody who has never been here. */
  readonly description?: ReactNode;
  /** The pages above it, the highest first. */
  readonly crumbs?: readonly { readonly title: string; readonly href: string }[];
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page. Its title gets the focus when somebody comes here, so that a screen reader says where they are. */
export function Page({ title, description, crumbs = [], actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isShut = useStore(shut);
  useEffect(() => {
    // The door has a title of its own.
    if (!isShut) document.title = `${title} · Sallyport`;
  }, [title, isShut]);
  useEffect(() => {
    // The page may come while somebody already takes back what led to it.
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

/** What a panel shows. */
interface PanelProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** Whether its content goes up to its edges, as that of a table does. */
  readonly flush?: boolean;
  /** Whether its title is left out, because the page has the same. */
  readonly bare?: boolean;
  readonly children: ReactNode;
}

/** A part of a page with a title. */
export function Panel({ title, description, actions, flush = false, bare = false, children }: PanelProps) {
  return (
    <section className={styles.panel} aria-label={title}>
      {!bare && (
        <div className={styles.panelHead}>
          <div>
            <h2>{title}</h2>
            {description !== undefined && <p>{description}</p>}
          </div>
          {actions !== undefined && <div className="row">{actions}</div>}
        </div>
      )}
      <div className={flush ? styles.flush : styles.panelBody}>{children}</div>
    </section>
  );
}

/** Names with their values. */
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
