import { useId } from 'react';
import type { ReactNode } from 'react';
import './card.css';

/** Surface with a title. Children have their own padding: `Facts`, `CardRow`, or `CardBody` for anything else. */
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
  /** Button at the end of the row. */
  action?: ReactNode;
}

/** Row with an action and its description. */
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

/** List of labels and values. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="facts">{children}</dl>;
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
