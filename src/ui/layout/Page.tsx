import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import './page.css';

interface PageProps {
  title: ReactNode;
  /** Key figures or facts beside the title. A page that has them once they are loaded keeps their line free until then. */
  meta?: ReactNode;
  /** Shown before the title, for example an avatar; `meta` is then below the title. */
  lead?: ReactNode;
  /** State, beside the title. */
  badge?: ReactNode;
  actions?: ReactNode;
  breadcrumbs?: ReactNode;
  /** Fills the available height, so that the table scrolls inside. */
  fill?: boolean;
  /** On a phone title and actions have one line, as on a page that fills the height; `badge` and `meta` follow below. */
  oneLine?: boolean;
  children: ReactNode;
}

/** Characters that always fit into the lines of a heading; a longer one may be cut, and is whole in its tooltip. */
const CUT_FROM = 90;
const getTooltip = (title: ReactNode): string | undefined =>
  typeof title === 'string' && title.length > CUT_FROM ? title : undefined;

/** Layout of a page. Its heading (`#page-title`) gets the focus after a navigation, so that it is announced. */
export function Page(props: PageProps) {
  const { title, meta, lead, badge, actions, breadcrumbs, fill, oneLine, children } = props;
  const hasMeta = 'meta' in props;
  return (
    <div className={cx('page', fill && 'page-fill')}>
      {breadcrumbs}
      <header className={cx('page-head', oneLine && 'page-head-line')}>
        {lead}
        <div className={cx('page-title', lead !== undefined && 'page-title-lead')}>
          <h1 id="page-title" tabIndex={-1} title={getTooltip(title)}>
            {title}
          </h1>
          {(badge !== undefined || hasMeta) && (
            <div className="page-facts">
              {badge}
              {hasMeta && <div className="page-meta">{meta}</div>}
            </div>
          )}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
