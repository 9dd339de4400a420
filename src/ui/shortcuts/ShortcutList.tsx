import { MODIFIER_KEY } from './shortcuts.ts';
import type { Shortcut } from './shortcuts.ts';
import './shortcut-list.css';

const KEY_LABELS: Record<string, string> = {
  mod: MODIFIER_KEY,
  PageUp: 'Page ↑',
  PageDown: 'Page ↓',
};

/** Shortcuts below the heading of their group. */
export function ShortcutList({ shortcuts }: { shortcuts: readonly Shortcut[] }) {
  const groups = Map.groupBy(shortcuts, ({ group }) => group);
  return (
    <div className="keys">
      {[...groups].map(([group, ofGroup]) => (
        <section key={group}>
          <h3>{group}</h3>
          <dl>
            {ofGroup.map(({ keys, label }) => (
              <div key={keys}>
                <dt>{label}</dt>
                <dd>
                  {keys.split(/[ +]/).map((key) => (
                    <kbd key={key} className="kbd">
                      {KEY_LABELS[key] ?? key}
                    </kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
