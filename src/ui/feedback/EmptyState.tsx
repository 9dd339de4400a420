import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import './feedback.css';

interface EmptyStateProps {
  icon?: LucideIcon;
  title: string;
  /** What this place is for. */
  children?: ReactNode;
  /** The next step. */
  actions?: ReactNode;
}

/** Nothing here yet: says what this is and offers the next step. */
export function EmptyState({ icon: Icon, title, children, actions }: EmptyStateProps) {
  return (
    <div className="notice">
      {Icon && <Icon />}
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {actions !== undefined && <div className="notice-actions">{actions}</div>}
    </div>
  );
}
