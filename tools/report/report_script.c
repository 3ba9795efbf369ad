/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_script.c: the page's script: sliders, and place and value under the pointer.
 *
 * It reads a value from the color of a pixel: P are the colors of categories and of each scale, A the places along
 * dimensions (report_places.c), G the grids of two-dimensional coordinates (report_grids.c). A picture's `data-p` is
 * [kind, nx, ny, upward, x in A, y in A, grid in G, least, greatest, decimals, whole numbers, colors in P,
 * logarithmic, values beyond: 1 below + 2 above]; kind 0 is a map, 1 a line, 2 a map of categories, 3 a
 * line of them.
 */
#include "report_int.h"

const char *const report_script[] = {
    "{const all=(s,e=document)=>[...e.querySelectorAll(s)],R=Math.PI/180,cells=new WeakMap;\n",
    "const levels=s=>{const m={};for(let i=0;i<s.length;i+=6)m[parseInt(s.slice(i,i+6),16)]=i/6;return m},"
    "L=P.map(levels);\n",
    "const lines=a=>a.t||(a.t=(p=>a[4].split('\\n').map(w=>p=p.slice(0,parseInt(w[0],36))+w.slice(1)))(''));\n",
    "const minus=v=>(v+'').replace('-','\\u2212');\n",
    "const num=(v,d)=>d<0&&v?(([m,e])=>minus(+m)+' \\u00d7 10'+[...e.replace('+',"
    "'')].map(c=>'\\u2070\\u00b9\\u00b2\\u00b3\\u2074\\u2075\\u2076\\u2077\\u2078\\u2079'[c]||'\\u207b').join(''))(v."
    "toExponential(3).split('e')):minus(v.toFixed(Math.max(d,0)));\n",
    "const degrees=(v,k,d)=>{if(k==3)v-=360*Math.floor((v+180)/360);v=+v.toFixed(d);\n",
    "return Math.abs(v)+'\\u00b0'+(v==0||k==3&&Math.abs(v)==180?'':k==2?v>0?'N':'S':v>0?'E':'W')};\n",
    "const between=(v,f)=>{const j=Math.max(0,Math.min(Math.floor(f),v.length-2));return "
    "v.length<2?v[0]:v[j]+(f-j)*(v[j+1]-v[j])};\n",
    "const place=(a,i)=>{const[k,n,u,l,v,d]=a,f=m=>i*(m-1)/(l-1||1);if(k==4)return "
    "lines(a)[Math.round(f(lines(a).length))];\n",
    "return k?k>1?degrees(between(v,f(v.length)),k,d):n+' '+ +between(v,f(v.length)).toFixed(d)+(u&&' '+u):n+' '+i};"
    "\n",
    "const earth=(g,r,c)=>{const[ny,nx,m,n,a,o,d]=g,y=r*(m-1)/(ny-1),x=c*(n-1)/(nx-1),j=Math.min(y|0,m-2),"
    "i=Math.min(x|0,n-2),s=[0,0,0];\n",
    "for(let q=0;q<4;q++){const k=(j+(q>>1))*n+i+(q&1),w=(q>>1?y-j:1-y+j)*(q&1?x-i:1-x+i),h=Math.cos(a[k]*R);\n",
    "s[0]+=w*h*Math.cos(o[k]*R);s[1]+=w*h*Math.sin(o[k]*R);s[2]+=w*Math.sin(a[k]*R)}\n",
    "return degrees(Math.atan2(s[2],Math.hypot(s[0],s[1]))/R,2,d)+' \\u00b7 '+degrees(Math.atan2(s[1],s[0])/R,3,d)};"
    "\n",
    "const pixels=m=>{if(!cells.has(m)){const e=document.createElement('canvas');e.width=m.naturalWidth;"
    "e.height=m.naturalHeight;\n",
    "const g=e.getContext('2d');g.drawImage(m,0,0);cells.set(m,g.getImageData(0,0,e.width,e.height))}return "
    "cells.get(m)};\n",
    "const "
    "onMap=(f,q,px,py)=>{const[t,nx,ny,up,xi,yi,gi,lo,hi,d,whole,pal,log,out]=q,m=f.querySelector('img:not([hidden])'"
    "),"
    "b=pixels(m),w=b.width,h=b.height;\n",
    "const x=Math.min(w-1,px*w|0),y=Math.min(h-1,py*h|0),k=4*(y*w+x),p=b.data,c=Math.floor((x+.5)*nx/w),"
    "r=Math.floor(((up?h-1-y:y)+.5)*ny/h);\n",
    "const i=L[pal][p[k]<<16|p[k+1]<<8|p[k+2]],n=P[pal].length/6-1,v=log?lo*(hi/lo)**(i/n):lo+i*(hi-lo)/n,"
    "where=gi>=0&&earth(G[gi],r,c);\n",
    "return(where&&!/NaN/.test(where)?where:place(A[yi],r)+' \\u00b7 '+place(A[xi],c))+': "
    "'+(!p[k+3]?'missing':i==null?'':t==2?name(f,i):(!i&&out&1?'\\u2264 "
    "':i==n&&out&2?'\\u2265 "
    "':whole?'':'\\u2248 ')+(log?minus(+v.toPrecision(3)):num(whole?Math.round(v):v,d))+' '+f.dataset.u)};\n",
    "const name=(f,i)=>{const e=f.closest('.parts').querySelector('[data-i=\"'+i+'\"] bdi');return "
    "e?e.textContent:'other "
    "value'};\n",
    "const onLine=(f,q,px)=>{const[t,nx,,,xi,,,lo,hi,d,whole]=q,e=all('path.s6',f.parentNode).find(e=>"
    "e.getClientRects().length),w=n=>e.parentNode[n].baseVal.value,k=v=>v-w('x');\n",
    "e.q=e.q||e.getAttribute('d').split('M').slice(1).flatMap(s=>{let x=0,y=0;const "
    "n=s.match(/-?[\\d.]+/g).map(Number),"
    "o=[];for(let i=0;i+1<n.length;i+=2)o.push([x+=n[i],y+=n[i+1]]);\n",
    "return n.length==4&&n[3]==0&&n[2]<4?[[n[0]+n[2]/2,y]]:o});if(!e.q.length)return '';\n",
    "const[a,b]=e.q.reduce((a,b)=>Math.abs(k(b[0])-px*w('width'))<Math.abs(k(a[0])-px*w('width'))?b:a),"
    "x=k(a)/w('width'),v=lo+(1-(b-w('y'))/w('height'))*(hi-lo);\n",
    "f.style.setProperty('--x',100*x+'%');f.classList.add('on');\n",
    "return place(A[xi],Math.round(x*(nx-1)))+': '+(t==3?name(f,Math.round(v)):(whole?'':'\\u2248 "
    "')+num(whole?Math.round(v):v,d)+' '+f.dataset.u)};\n",
    "for(const f of all('[data-p]')){const q=JSON.parse(f.dataset.p),o=f.closest('figure').querySelector('output');"
    "let at;\n",
    "o.textContent='Point at the picture: place and value';\n",
    "f.show=e=>{at=e||at;if(!at)return;const b=f.getBoundingClientRect();at.px=Math.max(0,Math.min(1,"
    "(at.clientX-b.left)/b.width));at.py=Math.max(0,Math.min(1,(at.clientY-b.top)/b.height));\n",
    "o.textContent=q[0]%2?onLine(f,q,at.px):onMap(f,q,at.px,at.py)};\n",
    "f.addEventListener('pointermove',f.show);f.addEventListener('pointerdown',f.show)}\n",
    "for(const f of all('.frames')){const s=f.querySelector('input');if(s)s.addEventListener('input',()=>{\n",
    "for(const l of['img','.at'])all(l,f).forEach((x,i)=>x.hidden=i!=s.value);f.querySelector('.pic').show()})}\n",
    "const reveal=()=>{const e=document.getElementById(location.hash.slice(1)),d=e&&e.closest('details');if(d){"
    "d.open=true;d.scrollIntoView()}};\n",
    "addEventListener('hashchange',reveal);reveal();\n",
    "addEventListener('beforeprint',()=>all('details').forEach(d=>d.open=true))}\n",
    NULL};
