import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import './publications.css';

/** Text of a program or of JSON with a button that copies it. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  return (
    <div className="pub-code">
      {/* Focusable, because it scrolls. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <CopyButton value={text} label={`Copy ${label}`} />
    </div>
  );
}
