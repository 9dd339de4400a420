import { cx } from '../cx.ts';
import './button.css';

/** Variant and size of a button. */
export interface ButtonLook {
  variant?: 'primary' | 'default' | 'quiet' | 'danger' | undefined;
  size?: 'small' | 'medium' | undefined;
}

/** Class names of a button, also for links: `<Link className={buttonClass({ variant: 'primary' })}>`. */
export function buttonClass({ variant = 'default', size }: ButtonLook = {}, extra?: string): string {
  return cx('btn', `btn-${variant}`, size === 'small' && 'btn-small', extra);
}
