"""Rename types by rust-analyzer: all edits are computed on one snapshot and applied at once.
usage: lsp_rename.py ROOT TABLE.tsv [--only CRATE[,CRATE]]  (lines: kind path old new)"""
import json,os,re,subprocess,sys,threading,queue,collections,time
root=os.path.abspath(sys.argv[1]); table=sys.argv[2]
only=None
if '--only' in sys.argv: only=set(sys.argv[sys.argv.index('--only')+1].split(','))
RA=os.environ.get('RUST_ANALYZER','rust-analyzer')
rows=[l.rstrip('\n').split('\t')[:4] for l in open(table) if l.strip() and not l.startswith('#')]
rows=[r for r in rows if r[0] in('type','fn','variant','field','const') and (not only or r[1].split('/')[1] in only)]
p=subprocess.Popen([RA],cwd=root,stdin=subprocess.PIPE,stdout=subprocess.PIPE,stderr=subprocess.DEVNULL)
n=[0]; replies={}; q=queue.Queue(); ready=threading.Event(); state={}
def send(m):
    b=json.dumps(m).encode(); p.stdin.write(b'Content-Length: %d\r\n\r\n'%len(b)+b); p.stdin.flush()
def reader():
    while True:
        h={}
        while True:
            l=p.stdout.readline()
            if not l: return
            l=l.decode().strip()
            if not l: break
            k,v=l.split(': ',1); h[k]=v
        m=json.loads(p.stdout.read(int(h['Content-Length'])))
        if 'id' in m and 'method' in m: # request from server
            r=None
            if m['method']=='workspace/configuration': r=[None for _ in m['params']['items']]
            send({'jsonrpc':'2.0','id':m['id'],'result':r})
        elif 'id' in m: q.put(m)
        elif m.get('method')=='experimental/serverStatus':
            state.update(m['params']); 
            if m['params'].get('quiescent'): ready.set()
threading.Thread(target=reader,daemon=True).start()
def ask(method,params,timeout=600):
    n[0]+=1; i=n[0]; send({'jsonrpc':'2.0','id':i,'method':method,'params':params})
    while True:
        m=q.get(timeout=timeout)
        if m['id']==i: return m
opts={'cargo':{'allFeatures':'--no-features' not in sys.argv,'allTargets':True,'buildScripts':{'enable':True},'sysroot':'discover'},'checkOnSave':False,'procMacro':{'enable':True},'cachePriming':{'enable':False},'cfg':{'setTest':True}}
if '--no-features' in sys.argv: opts['cargo'].pop('allFeatures')
ask('initialize',{'processId':os.getpid(),'rootUri':'file://'+root,'initializationOptions':opts,'capabilities':{'experimental':{'serverStatusNotification':True},'workspace':{'configuration':False,'workspaceEdit':{'documentChanges':True}},'general':{'positionEncodings':['utf-8']}}})
send({'jsonrpc':'2.0','method':'initialized','params':{}})
t=time.time(); ready.wait(900); print('ready after',round(time.time()-t),'s',state.get('health'),state.get('message'),file=sys.stderr)
src={}
def text(f):
    if f not in src: src[f]=open(f,'rb').read()
    return src[f]
edits=collections.defaultdict(dict); failed=[]
pat={'type':r'\b(?:struct|enum|trait|type|union)\s+(%s)\b','fn':r'\bfn\s+(%s)\b','const':r'\b(?:const|static)\s+(%s)\b','variant':r'^\s+(%s)\b','field':r'^\s+(?:pub(?:\([^)]*\))? )?(%s):'}
for kind,path,old,new in rows:
    f=os.path.join(root,path)
    if not os.path.exists(f): failed.append((path,old,'no file')); continue
    s=text(f).decode(); m=re.search(pat[kind]%re.escape(old),s,re.M)
    if not m: failed.append((path,old,'no declaration')); continue
    b=s[:m.start(1)]; line=b.count('\n'); col=len(b.split('\n')[-1].encode())
    r=ask('textDocument/rename',{'textDocument':{'uri':'file://'+f},'position':{'line':line,'character':col},'newName':new})
    if r.get('error') or not r.get('result'): failed.append((path,old,r.get('error',{}).get('message','nothing'))); continue
    res=r['result']; count=0
    docs=res.get('documentChanges') or [{'textDocument':{'uri':u},'edits':e} for u,e in (res.get('changes') or {}).items()]
    for d in docs:
        if 'edits' not in d: failed.append((path,old,'file operation '+str(d.get('kind')))); continue
        g=d['textDocument']['uri'][7:]
        for e in d['edits']:
            k=(e['range']['start']['line'],e['range']['start']['character'],e['range']['end']['line'],e['range']['end']['character'])
            if k in edits[g] and edits[g][k]!=e['newText']: failed.append((path,old,f'conflict in {g}:{k[0]+1}: {edits[g][k]!r} {e["newText"]!r}'))
            edits[g][k]=e['newText']; count+=1
    print(f'{path} {old} -> {new}: {count}',file=sys.stderr)
for g,es in edits.items():
    L=text(g).split(b'\n')
    starts=[0]
    for l in L: starts.append(starts[-1]+len(l)+1)
    data=bytearray(text(g))
    for (l0,c0,l1,c1),new in sorted(es.items(),reverse=True): data[starts[l0]+c0:starts[l1]+c1]=new.encode()
    open(g,'wb').write(bytes(data))
print('files',len(edits),'edits',sum(map(len,edits.values())),'failed',len(failed))
for x in failed: print('FAILED',*x)
p.kill()
