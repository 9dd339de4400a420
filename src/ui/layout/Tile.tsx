import type { LucideIcon } from 'lucide-react';
import { cx } from '../cx.ts';
import type { Tone } from './Badge.tsx';
import './tone.css';

/** Number of the colors of categories. */
export const HUE_COUNT = 6;

export interface TileProps {
  icon: LucideIcon;
  tone?: Tone;
  /** Color of a category instead of a meaning, from 1 to `HUE_COUNT`. */
  hue?: number | undefined;
  /** Mini in a control, small beside one line, medium beside two, large before the title of a page. */
  size?: 'mini' | 'small' | 'medium' | 'large';
  className?: string;
}

/** Icon on a colored square, which introduces a row, a card or a page. Hidden from screen readers: a text stands beside it. */
export function Tile({ icon: Icon, tone = 'neutral', hue, size = 'medium', className }: TileProps) {
  return (
    <span
      className={cx(
        'tile',
        `tile-${size}`,
        hue === undefined ? `tone-${tone}` : `tile-hue-${hue}`,
        className,
      )}
      aria-hidden
    >
      <Icon />
    </span>
  );
}
