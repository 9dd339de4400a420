import type { ReactNode } from 'react';
import { ProductMark } from '../../ui/layout/ProductMark.tsx';
import { RouteChange } from '../shell/RouteChange.tsx';
import './doorway.css';

// These pages wait for typing and for nothing else.
const focusFirstField = (card: HTMLElement | null) =>
  card?.querySelector<HTMLElement>('input:not([hidden])')?.focus();

/** The frame of the pages before the console: signing in, setting a password, what failed before there was a session. */
export function Doorway({
  title,
  intro,
  children,
}: {
  title: string;
  intro?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <main className="doorway">
      <RouteChange />
      <ProductMark />
      <section className="doorway-card" ref={focusFirstField}>
        <header className="doorway-head">
          <h1 id="page-title" tabIndex={-1}>
            {title}
          </h1>
          {intro !== undefined && <p>{intro}</p>}
        </header>
        {children}
      </section>
    </main>
  );
}
