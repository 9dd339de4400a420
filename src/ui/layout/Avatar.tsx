import { initials } from '../../lib/initials.ts';
import { cx } from '../cx.ts';
import type { Tone } from './tone.ts';
import './tone.css';

const HUES: readonly Tone[] = ['accent', 'neutral', 'ok', 'warn', 'bad', 'info'];

interface AvatarProps {
  name: string;
  /** The same person has the same colour everywhere. */
  id: number;
  size?: 'small' | 'medium' | 'large';
}

/** Initials in a circle, for the eye only: the name stands beside it. */
export function Avatar({ name, id, size = 'small' }: AvatarProps) {
  const hue = HUES[Math.abs(id) % HUES.length];
  return (
    <span className={cx('avatar', `avatar-${size}`, `tone-${hue}`)} aria-hidden>
      {initials(name)}
    </span>
  );
}
