import type { ReactNode } from 'react';
import { ProductMark } from '../../ui/layout/ProductMark.tsx';
import { RouteAnnouncer } from '../../ui/layout/RouteAnnouncer.tsx';
import { readStoredBrand } from '../session/brand.ts';
import './sign-in-layout.css';

// These pages only expect input.
const focusFirstField = (card: HTMLElement | null) =>
  card?.querySelector<HTMLElement>('input:not([hidden])')?.focus();

// The pressed button may be gone with the previous content; the new heading then gets the focus.
const focusIfLost = (heading: HTMLElement | null) => {
  if (document.activeElement === document.body) heading?.focus();
};

/** Layout of the pages without a session: sign-in, password, invitation. */
export function SignInLayout({
  title,
  intro,
  children,
}: {
  title: string;
  intro?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <main className="sign-in-layout">
      <RouteAnnouncer />
      <ProductMark brand={readStoredBrand()} />
      <section className="sign-in-layout-card" ref={focusFirstField}>
        <header className="sign-in-layout-head">
          <h1 key={title} ref={focusIfLost} id="page-title" tabIndex={-1}>
            {title}
          </h1>
          {intro !== undefined && <p>{intro}</p>}
        </header>
        {children}
      </section>
    </main>
  );
}
