import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import './page.css';

interface PageProps {
  title: ReactNode;
  /** The two numbers that matter, or under an identity the facts people came for. */
  meta?: ReactNode;
  /** What the title is of, before it: an avatar. The meta line then stands under the title. */
  lead?: ReactNode;
  /** The state, beside the title. */
  badge?: ReactNode;
  actions?: ReactNode;
  breadcrumbs?: ReactNode;
  /** Fills the height it is given; its table scrolls inside. */
  fill?: boolean;
  children: ReactNode;
}

/** A page: its heading takes the focus after a change of route (`#page-title`), so that it is announced. */
export function Page({ title, meta, lead, badge, actions, breadcrumbs, fill, children }: PageProps) {
  return (
    <div className={cx('page', fill && 'page-fill')}>
      {breadcrumbs}
      <header className="page-head">
        {lead}
        <div className={cx('page-title', lead !== undefined && 'page-title-lead')}>
          <h1 id="page-title" tabIndex={-1}>
            {title}
          </h1>
          {badge}
          {meta !== undefined && <div className="page-meta">{meta}</div>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
