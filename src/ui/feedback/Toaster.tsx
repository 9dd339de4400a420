import { CircleAlert, CircleCheck, Info, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../button/Button.tsx';
import { IconButton } from '../button/IconButton.tsx';
import { useStore } from '../store.ts';
import { dismissToast, toastStore } from './toast.ts';
import type { ToastItem } from './toast.ts';
import './feedback.css';

const ICONS = { ok: CircleCheck, bad: CircleAlert, info: Info };
const STAY = 6000;

/** Where toasts appear; the shell mounts it once. The region is always there, so that it is announced. */
export function Toaster() {
  const items = useStore(toastStore);
  const [held, setHeld] = useState(false);
  return (
    // The attribute keeps messages in reach while a dialog hides the rest of the page.
    <section
      aria-label="Messages"
      aria-live="polite"
      aria-relevant="additions"
      data-react-aria-top-layer="true"
    >
      {/* Nobody is hurried: what is under the pointer or has the focus stays. */}
      <div
        role="presentation"
        className="toasts"
        onPointerEnter={() => setHeld(true)}
        onPointerLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
      >
        {items.map((item) => (
          <Toast key={item.id} item={item} held={held} />
        ))}
      </div>
    </section>
  );
}

function Toast({ item, held }: { item: ToastItem; held: boolean }) {
  const { id, title, description, tone = 'ok', action } = item;
  const leaves = tone !== 'bad' && !held;
  useEffect(() => {
    if (!leaves) return undefined;
    const timer = setTimeout(() => dismissToast(id), STAY);
    return () => clearTimeout(timer);
  }, [id, leaves]);

  const Icon = ICONS[tone];
  return (
    <div className={`toast toast-${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      <Icon />
      <div className="toast-text">
        <strong>{title}</strong>
        {description !== undefined && <p>{description}</p>}
      </div>
      {action && (
        <Button
          size="small"
          onClick={() => {
            action.onSelect();
            dismissToast(id);
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton label="Close message" icon={X} size="small" onClick={() => dismissToast(id)} />
    </div>
  );
}
