import './capability-list.css';

interface CapabilityListProps {
  items: readonly { name: string; note: string }[];
}

/** Capabilities, each with a note below. */
export function CapabilityList({ items }: CapabilityListProps) {
  return (
    <ul className="group-gives">
      {items.map(({ name, note }) => (
        <li key={name}>
          <strong>{name}</strong>
          <span>{note}</span>
        </li>
      ))}
    </ul>
  );
}
