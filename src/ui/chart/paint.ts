import { useSyncExternalStore } from 'react';

/** What the canvas is painted with, as the tokens are at this moment: a canvas knows no custom properties. */
export interface Paint {
  text: string;
  grid: string;
  ground: string;
  edge: string;
  font: string;
  tone: (tone: number) => string;
}

/** Reads the colours from elements that chart.css dresses, so that only CSS says what they are. */
export function readPaint(frame: HTMLElement): Paint {
  const { color, borderTopColor, backgroundColor, outlineColor, fontFamily } = getComputedStyle(frame);
  return {
    text: color,
    grid: borderTopColor,
    ground: backgroundColor,
    edge: outlineColor,
    font: `11.5px ${fontFamily}`,
    tone(tone) {
      const sample = frame.querySelector(`.chart-tone-${tone}`);
      return sample ? getComputedStyle(sample).color : color;
    },
  };
}

const contrast = matchMedia('(prefers-contrast: more)');
const forced = matchMedia('(forced-colors: active)');

function subscribe(changed: () => void): () => void {
  const watch = new MutationObserver(changed);
  watch.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  contrast.addEventListener('change', changed);
  forced.addEventListener('change', changed);
  return () => {
    watch.disconnect();
    contrast.removeEventListener('change', changed);
    forced.removeEventListener('change', changed);
  };
}

/** Another text whenever the colours have changed, so that what is on a canvas is painted anew. */
export const usePaintKey = (): string =>
  useSyncExternalStore(
    subscribe,
    () => `${document.documentElement.dataset.theme} ${contrast.matches} ${forced.matches}`,
  );
