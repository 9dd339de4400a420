import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import './feedback.css';

interface EmptyStateProps {
  icon?: LucideIcon;
  title: string;
  /** Purpose of the list or page. */
  children?: ReactNode;
  /** Buttons or links for the next step. */
  actions?: ReactNode;
}

/** Shown for an empty list or page, with its purpose and the next step. */
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
