// Examples of expressions, for users who write their first one.

import { Fold } from '../../kit/fold.tsx';
import { Detail, Details } from '../../kit/page.tsx';

/** Expressions, each with a description of the connections for which it is true. */
const examples = {
  "inCidrRange(conn.client_ip, '10.0.0.0/8')": 'comes from this range',
  "conn.tls.sni != 'db.example.com'": 'asks for another name',
  "conn.tls.version < '1.3'": 'speaks an older TLS',
  "!(conn.geo.country_code in ['DE', 'FR'])": 'comes from another country',
  "conn.ts.start.getHours('Europe/Berlin') >= 20": 'begins in the evening',
  'conn.server_port == 5432': 'comes to this port',
};

/** Examples of expressions. */
export function Examples() {
  return (
    <Fold title="What an expression can ask of a connection">
      <Details>
        {Object.entries(examples).map(([expression, what]) => (
          <Detail key={expression} name={<code>{expression}</code>}>
            {what}
          </Detail>
        ))}
      </Details>
    </Fold>
  );
}
