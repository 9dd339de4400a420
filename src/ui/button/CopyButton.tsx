import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { cx } from '../cx.ts';
import { announce } from '../layout/LiveRegion.tsx';
import { toast } from '../toast.ts';
import { Tooltip } from '../tooltip/Tooltip.tsx';
import './button.css';

const COPIED_LABEL_MS = 1500;

interface CopyButtonProps {
  value: string;
  /** Names the button: "Copy id". */
  label: string;
  onCopied?: () => void;
}

/** Button that copies a value. */
export function CopyButton({ value, label, onCopied }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      // Browsers allow it only on a secure address.
      toast({ title: 'The browser does not allow copying here', tone: 'bad' });
      return;
    }
    announce('Copied');
    onCopied?.();
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_LABEL_MS);
  };
  return (
    <Tooltip text={copied ? 'Copied' : label}>
      <button
        type="button"
        className={cx('copy-btn', copied && 'copy-btn-done')}
        aria-label={label}
        onClick={() => void copy()}
      >
        {copied ? <Check /> : <Copy />}
      </button>
    </Tooltip>
  );
}

/** Copies a text from a menu item and reports the result in a toast, because the menu is closed by then. */
export async function copyText(text: string, message = 'Copied'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast({ title: message });
  } catch {
    // Browsers allow it only on a secure address.
    toast({ title: 'The browser does not allow copying here', tone: 'bad' });
  }
}
