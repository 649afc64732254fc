"""Rename what the compiler no longer finds: fix_names.py ROOT TABLE.tsv. Declarations are renamed already."""
import json,subprocess,sys,re,collections,os
root,table=sys.argv[1:3]; os.chdir(root)
new_of=collections.defaultdict(list)
for l in open(table):
    k,p,o,n=l.rstrip('\n').split('\t')[:4]; new_of[o].append((p,n))
def pick(f,old,text):
    c=new_of.get(old,[])
    names={n for _,n in c}
    if len(names)==1: return names.pop()
    here=[n for _,n in c if re.search(rf'\b{n}\b',text)]
    if len(set(here))==1: return here[0]
    crate='/'.join(f.split('/')[:2])
    same=[n for p,n in c if p.startswith(crate+'/')]
    if len(set(same))==1: return same[0]
    return None
for it in range(30):
    out=subprocess.run(['cargo','check','--workspace','--all-targets','--keep-going','--message-format=json'],stdout=subprocess.PIPE,stderr=subprocess.DEVNULL,text=True).stdout
    todo=collections.defaultdict(dict); other=[]; errors=0
    for l in out.split('\n'):
        if not l.startswith('{'): continue
        m=json.loads(l)
        if m.get('reason')!='compiler-message' or m['message']['level']!='error': continue
        msg=m['message']; errors+=1; hit=False
        for sp in msg['spans']:
            f=sp['file_name']
            if f.startswith('/') and f.startswith(root+'/'): f=f[len(root)+1:]
            if not os.path.exists(f): continue
            data=open(f,'rb').read(); t=data[sp['byte_start']:sp['byte_end']].decode(errors='replace'); text=data.decode()
            for w in re.finditer(r'\b[A-Z]\w*\b',t):
                if w[0] in new_of and (f'`{w[0]}`' in msg['message'] or f'::{w[0]}' in msg['message'] or any(f'`{w[0]}`' in (c.get('message') or '') for c in msg['children']) or w[0] in (sp.get('label') or '')):
                    n=pick(f,w[0],text)
                    if n:
                        s=sp['byte_start']+len(t[:w.start()].encode()); todo[f][(s,s+len(w[0]))]=n; hit=True
        if not hit: other.append(msg['rendered'] or msg['message'])
    print('round',it,'errors',errors,'fixes',sum(map(len,todo.values())),'other',len(other),flush=True)
    if not todo:
        for o in other[:12]: print(o[:600])
        break
    for f,e in todo.items():
        d=bytearray(open(f,'rb').read())
        for (a,b),n in sorted(e.items(),reverse=True): d[a:b]=n.encode()
        open(f,'wb').write(bytes(d))
