import { cx } from '../cx.ts';
import './button.css';

export interface ButtonLook {
  variant?: 'primary' | 'default' | 'quiet' | 'danger' | undefined;
  size?: 'small' | 'medium' | undefined;
}

/** The look of a button for what is a link: `<Link className={buttonClass({ variant: 'primary' })}>`. */
export function buttonClass({ variant = 'default', size }: ButtonLook = {}, extra?: string): string {
  return cx('btn', `btn-${variant}`, size === 'small' && 'btn-small', extra);
}
