import { useId } from 'react';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { cx } from '../../../ui/cx.ts';
import './agent.css';

interface CodeBlockProps {
  /** Above the text: where it belongs, or what it is. */
  title: string;
  text: string;
  /** Name of the copy button. */
  copyLabel: string;
  /** Fills a card; long lines are wrapped. */
  isResult?: boolean;
}

/** Text to be copied, in a scrolling box. */
export function CodeBlock({ title, text, copyLabel, isResult = false }: CodeBlockProps) {
  const id = useId();
  return (
    <div className={cx('agent-code', isResult && 'agent-code-result')}>
      <div className="agent-code-head">
        <span id={id} className="num">
          {title}
        </span>
        <CopyButton value={text} label={copyLabel} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable regions must be focusable */}
      <section className="agent-code-scroll" tabIndex={0} aria-labelledby={id}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
    </div>
  );
}
