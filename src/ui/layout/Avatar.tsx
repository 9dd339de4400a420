import { getInitials } from '../../lib/text/initials.ts';
import { cx } from '../cx.ts';
import type { Tone } from './Badge.tsx';
import './tone.css';

const TONES: readonly Tone[] = ['accent', 'neutral', 'ok', 'warn', 'bad', 'info'];

interface AvatarProps {
  name: string;
  /** Determines the color, so that it is the same everywhere. */
  id: number;
  size?: 'small' | 'medium' | 'large';
  /**
   * Whether the initials are drawn by the style sheet. Within a control they would otherwise count as a visible text
   * that its name lacks (WCAG 2.5.3).
   */
  isDrawn?: boolean;
}

/** Initials in a circle, hidden from screen readers; the name is shown beside it. */
export function Avatar({ name, id, size = 'small', isDrawn = false }: AvatarProps) {
  const hue = TONES[Math.abs(id) % TONES.length];
  return (
    <span
      className={cx('avatar', `avatar-${size}`, `tone-${hue}`)}
      data-initials={isDrawn ? getInitials(name) : undefined}
      aria-hidden
    >
      {!isDrawn && getInitials(name)}
    </span>
  );
}
