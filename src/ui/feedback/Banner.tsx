import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import '../layout/tone.css';
import './feedback.css';

const ICONS = { info: Info, ok: CircleCheck, warn: TriangleAlert, bad: CircleAlert };

interface BannerProps {
  tone?: 'info' | 'ok' | 'warn' | 'bad';
  title?: string;
  children?: ReactNode;
  actions?: ReactNode;
}

/** Message within a page, shown until its cause is resolved. */
export function Banner({ tone = 'info', title, children, actions }: BannerProps) {
  const Icon = ICONS[tone];
  return (
    <div className={`banner tone-${tone}`} role={tone === 'bad' ? 'alert' : 'note'}>
      <Icon />
      <div className="banner-text">
        {title !== undefined && <strong>{title}</strong>}
        {children !== undefined && <div className="banner-body">{children}</div>}
      </div>
      {actions}
    </div>
  );
}
