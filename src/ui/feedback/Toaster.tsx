import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, Info, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { buttonClass } from '../button/button-class.ts';
import { Button } from '../button/Button.tsx';
import { IconButton } from '../button/IconButton.tsx';
import { publishHeight } from '../publish-height.ts';
import { useStore } from '../store.ts';
import { dismissToast, toastStore } from '../toast.ts';
import type { ToastItem } from '../toast.ts';
import './feedback.css';

const ICONS = { ok: CircleCheck, bad: CircleAlert, info: Info };
const TOAST_DURATION_MS = 6000;
/** Duration of a toast that offers an action, such as Undo. */
const ACTION_TOAST_DURATION_MS = 20_000;

/**
 * Host of toasts, mounted once, in a row of its own at the end of the window. The live region always exists, so that new
 * toasts are announced. `children` are messages that are not toasts.
 */
export function Toaster({ children }: { children?: ReactNode }) {
  const items = useStore(toastStore);
  const [isPaused, setIsPaused] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const focused = useRef<Element>(undefined);
  const focusedBefore = useRef<Element>(undefined);

  // A removed element loses the focus without an event.
  useEffect(() => {
    if (!list.current) return undefined;
    const { current } = list;
    const observer = new MutationObserver(() => {
      if (!focused.current || focused.current.isConnected) return;
      focused.current = undefined;
      setIsPaused(current.matches(':hover'));
      if (document.activeElement === document.body) focusPage(focusedBefore.current);
    });
    observer.observe(current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);

  return (
    // The attribute keeps toasts accessible while a modal dialog hides the rest of the page.
    <section
      aria-label="Messages"
      aria-live="polite"
      aria-relevant="additions"
      data-react-aria-top-layer="true"
      ref={reserveHeight}
    >
      {/* Toasts stay while they are hovered or focused. */}
      <div
        ref={list}
        role="presentation"
        className="toasts"
        onPointerEnter={() => setIsPaused(true)}
        onPointerLeave={() => setIsPaused(false)}
        onFocus={({ target, relatedTarget, currentTarget }) => {
          focused.current = target;
          if (!currentTarget.contains(relatedTarget)) focusedBefore.current = relatedTarget ?? undefined;
          setIsPaused(true);
        }}
        onBlur={() => {
          focused.current = undefined;
          setIsPaused(false);
        }}
      >
        {children}
        {items.map((item) => (
          <Toast key={item.id} item={item} isPaused={isPaused} />
        ))}
      </div>
    </section>
  );
}

/** Moves the focus back to the element that had it before the messages, or to the page if that is gone. */
function focusPage(before: Element | undefined): void {
  const target = before?.isConnected ? before : document.querySelector('#main');
  if (target instanceof HTMLElement) target.focus({ preventScroll: true });
}

/** Publishes the height of the messages, so that panels and dialogs end above them. */
const reserveHeight = (messages: HTMLElement | null) => publishHeight(messages, '--messages');

function Toast({ item, isPaused }: { item: ToastItem; isPaused: boolean }) {
  const { id, title, description, tone = 'ok', action, link } = item;
  const isTimed = tone !== 'bad' && !isPaused;
  const durationMs = action ? ACTION_TOAST_DURATION_MS : TOAST_DURATION_MS;
  useEffect(() => {
    if (!isTimed) return undefined;
    const timer = setTimeout(() => dismissToast(id), durationMs);
    return () => clearTimeout(timer);
  }, [id, isTimed, durationMs]);

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
      {link && (
        <Link to={link.path} className={buttonClass({ size: 'small' })} onClick={() => dismissToast(id)}>
          {link.label}
        </Link>
      )}
      <IconButton label="Close message" icon={X} size="small" onClick={() => dismissToast(id)} />
    </div>
  );
}
