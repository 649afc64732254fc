// Loaded before Google's a2a-server: it listens on every interface and reports its use to Google. Here it does neither.
import dns from 'node:dns';
import net from 'node:net';

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, port, '127.0.0.1', ...rest.filter((one) => typeof one === 'function'));
};
const lookup = dns.lookup;
dns.lookup = (host, options, done) => {
  if (host === 'localhost' || net.isIP(host)) return lookup(host, options, done);
  const answer = typeof options === 'function' ? options : done;
  process.nextTick(answer, Object.assign(new Error('no names here'), { code: 'ENOTFOUND' }));
};
