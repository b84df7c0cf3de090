// Parses times as the adapters return them, and formats them as Prisma stores them; all in UTC.

/**
 * Parses a time as Prisma stores it, `2027-01-31T09:30:00.000+00:00`, or as PostgreSQL sends it, `2027-01-31 09:30:00.5`. It takes
 * a fraction of the time that `Date` needs to detect the format: a page of objects has two hundred times.
 */
export function readTime(text: string): Date {
  const isOfPrisma = text.length === 29 && text.endsWith('+00:00');
  // Years of other lengths shift the space, and years BC end in letters.
  const isOfPostgres = text.charCodeAt(10) === space && text.length <= 26 && digit(text, text.length - 1) <= 9;
  // `Date.UTC` maps the years 0 to 99 to 1900 to 1999.
  if (text.startsWith('00') || !(isOfPrisma || isOfPostgres)) {
    return new Date(isOfPostgres ? `${text.replace(' ', 'T')}Z` : text);
  }
  const [year, month, day] = [pair(text, 0) * 100 + pair(text, 2), pair(text, 5), pair(text, 8)];
  if (year !== latestDay.year || month !== latestDay.month || day !== latestDay.day) {
    latestDay = { year, month, day, ms: Date.UTC(year, month - 1, day) };
  }
  const seconds = (pair(text, 11) * 60 + pair(text, 14)) * 60 + pair(text, 17);
  let milliseconds = 0;
  for (let index = 20, unit = 100; index < 23 && index < text.length; index += 1, unit /= 10) {
    milliseconds += digit(text, index) * unit;
  }
  return new Date(latestDay.ms + seconds * 1000 + milliseconds);
}

/** Formats a time as SQLite's rows have it, for statements that pass it within other text. PostgreSQL reads the same form. */
export function storedTime(at: Date): string {
  return at.toISOString().replace('Z', '+00:00');
}

const space = 32;

/** The day that was parsed last: neighbouring rows were mostly created on the same day. */
let latestDay = { year: 0, month: 0, day: 0, ms: 0 };

function pair(text: string, index: number): number {
  return digit(text, index) * 10 + digit(text, index + 1);
}

function digit(text: string, index: number): number {
  return text.charCodeAt(index) - 48;
}
