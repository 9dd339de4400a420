import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { cx } from '../cx.ts';
import { announce } from '../feedback/live.ts';
import { toast } from '../feedback/toast.ts';
import { Tooltip } from '../tooltip/Tooltip.tsx';
import './button.css';

const SAY_COPIED_FOR = 1500;

/** Copies a value; `label` names what is copied ("Copy id"). */
export function CopyButton({ value, label }: { value: string; label: string }) {
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
    setCopied(true);
    setTimeout(() => setCopied(false), SAY_COPIED_FOR);
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
