import { useId } from 'react';
import type { ReactNode } from 'react';
import './card.css';

/** A titled surface. Its children bring their own padding: Facts, CardRow, or CardBody for anything else. */
export function Card({
  title,
  actions,
  children,
}: {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const titleId = useId();
  return (
    <section className="card" aria-labelledby={title === undefined ? undefined : titleId}>
      {title !== undefined && (
        <header className="card-head">
          <h2 id={titleId}>{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

export function CardBody({ children }: { children: ReactNode }) {
  return <div className="card-body">{children}</div>;
}

interface CardRowProps {
  title: string;
  description?: ReactNode;
  /** The button at the end of the row. */
  action?: ReactNode;
}

/** A row that says what will happen and offers to do it. */
export function CardRow({ title, description, action }: CardRowProps) {
  return (
    <div className="card-row">
      <div className="card-row-text">
        <strong>{title}</strong>
        {description !== undefined && <p>{description}</p>}
      </div>
      {action}
    </div>
  );
}
