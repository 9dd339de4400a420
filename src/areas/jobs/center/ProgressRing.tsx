/** Radius that gives the circle a circumference of 100, so that a share is a length of the stroke. */
const RADIUS = 100 / (2 * Math.PI);

/** Ring filled by a share from 0 to 1; a text beside it names the progress. */
export function ProgressRing({ share }: { share: number }) {
  return (
    <svg className="job-ring" viewBox="0 0 40 40" aria-hidden>
      <circle className="job-ring-track" cx="20" cy="20" r={RADIUS} />
      <circle className="job-ring-done" cx="20" cy="20" r={RADIUS} strokeDasharray={`${share * 100} 100`} />
    </svg>
  );
}
