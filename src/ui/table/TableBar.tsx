import type { ReactNode } from 'react';
import './table-bar.css';

/** The bar over a table: search and filter chips, then "as of" and the table's tools. */
export function TableBar({ children, tools }: { children: ReactNode; tools?: ReactNode }) {
  return (
    <div className="tbl-bar">
      <div className="tbl-bar-filters">{children}</div>
      {tools !== undefined && <div className="tbl-bar-tools">{tools}</div>}
    </div>
  );
}

/** How fresh the rows are, in words beside a dot. */
export function AsOf({ tone = 'ok', children }: { tone?: 'ok' | 'warn' | 'bad'; children: ReactNode }) {
  return (
    <span className={`as-of as-of-${tone} num`}>
      <span className="as-of-dot" aria-hidden />
      {children}
    </span>
  );
}
