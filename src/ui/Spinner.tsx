import './feedback/feedback.css';

/** Spinning ring, hidden from screen readers; a text beside it names the operation. */
export function Spinner() {
  return <span className="spinner" aria-hidden />;
}
