import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import type { Field, Schema } from '../model/schema.ts';
import { Builder } from './Builder.tsx';
import { EMPTY, toDraft, toQuery } from './draft.ts';
import type { Group, QueryObject } from './draft.ts';
import { focusCondition } from './focus.ts';
import { OPERATOR_HELP } from './operators.ts';
import { readSaid, written } from './query.ts';
import { QueryEditor } from './QueryEditor.tsx';
import { useNameOf } from './use-name-of.ts';
import './find.css';

interface FindPanelProps {
  /** As the address says it. */
  said: QueryObject | string | undefined;
  fields: readonly Field[];
  schema: Schema;
  /** The condition that the keyboard goes to; each one that is new moves it. */
  keyboard: { at: number } | undefined;
  /** A step is what takes the place of a query that was not made here: Back leads to that one. */
  onQuery: (query: QueryObject | undefined, isStep: boolean) => void;
  /** The request as a program sends it. */
  curl: string;
}

const PAUSE = 300;

interface Work {
  draft: Group;
  text: string;
}

const begin = (said: FindPanelProps['said'], fields: readonly Field[]): Work => {
  const { condition } = readSaid(said, fields);
  return { draft: condition ? toDraft(condition) : EMPTY, text: written(said) };
};

/**
 * The builder and the query beside one another: what is done to the one shows in the other, and enters the address at
 * the first pause. A query that cannot be read stays where it is typed, with every fault and its place.
 */
export default function FindPanel({ said, fields, schema, keyboard, onQuery, curl }: FindPanelProps) {
  const router = useRouter();
  const [work, setWork] = useState(() => begin(said, fields));
  const now = JSON.stringify(said);
  const [seen, setSeen] = useState(now);
  // Queries on their way into the address: when they are there, what is being typed stays as it is.
  const [sent, setSent] = useState<readonly (string | undefined)[]>([]);
  const own = useRef<string>(undefined);
  const timer = useRef<number>(undefined);
  const waiting = useRef<() => void>(undefined);
  // Whoever closes the panel before the pause is over has said what they want; who goes elsewhere is not brought back.
  useEffect(() => {
    const unsubscribe = router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
      if (pathChanged) waiting.current = undefined;
    });
    return () => {
      unsubscribe();
      clearTimeout(timer.current);
      waiting.current?.();
    };
  }, [router]);
  if (now !== seen) {
    const at = sent.indexOf(now);
    setSeen(now);
    setSent(sent.slice(at + 1));
    // The address has changed by itself: Back, a chip, a link.
    if (at < 0) setWork(begin(said, fields));
  }
  const { faults = [] } = readSaid(work.text, fields);
  useEffect(() => {
    if (keyboard) focusCondition(keyboard.at);
  }, [keyboard]);
  const nameOf = useNameOf(work.draft, fields, schema);

  const take = (next: Work) => {
    setWork(next);
    clearTimeout(timer.current);
    waiting.current = undefined;
    const read = readSaid(next.text, fields);
    if (!read.condition) return;
    const query = toQuery(toDraft(read.condition));
    waiting.current = () => {
      waiting.current = undefined;
      const asked = JSON.stringify(query);
      setSent((before) => [...before, asked]);
      onQuery(query, own.current === undefined || own.current !== now);
      own.current = asked;
    };
    timer.current = window.setTimeout(() => waiting.current?.(), PAUSE);
  };
  const build = (draft: Group) => take({ draft, text: written(toQuery(draft)) });
  const type = (text: string) => {
    const read = readSaid(text, fields);
    take({ text, draft: read.condition ? toDraft(read.condition) : work.draft });
  };

  return (
    <section className="find" aria-label="Find entries">
      <div className="find-builder">
        <Builder draft={work.draft} {...{ fields, schema, nameOf }} onChange={build} />
      </div>
      <div className="find-query">
        <label htmlFor="find-text">
          Query <span className="find-quiet">JSON5, as the interface takes it</span>
        </label>
        <QueryEditor id="find-text" text={work.text} {...{ fields, faults }} onChange={type} />
        <div className="find-foot">
          <details>
            <summary>As curl</summary>
            <div className="find-curl">
              <pre className="mono">{curl}</pre>
              <CopyButton value={curl} label="Copy as curl" />
            </div>
          </details>
          <details>
            <summary>Operators</summary>
            <dl className="find-help">
              {OPERATOR_HELP.map(({ operator, example, means }) => (
                <div key={operator}>
                  <dt>
                    <code>{operator}</code>
                  </dt>
                  <dd>
                    {means} <code>{example}</code>
                  </dd>
                </div>
              ))}
            </dl>
          </details>
        </div>
      </div>
    </section>
  );
}
