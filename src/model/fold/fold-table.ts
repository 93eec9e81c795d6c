// Written by dev/write-fold-table.ts from Unicode 16.0.0: CaseFolding.txt (status C and F) and Scripts.txt.

/**
 * The case folding of single characters, as code points: `41-5a>20` adds 0x20 to each, `f>1` to one, `f:13>1` to
 * every second one, and `<` subtracts. Characters that have a canonical decomposition are left out.
 */
export const singleFolds = `
  41-5a>20 b5>307 c6>20 d0>20 d8>20 de>20 110>1 126>1 132>1 13f:141>1 14a>1 152>1 166>1 17f<10c 181>d2 182:184>1 186>ce
  187>1 189-18a>cd 18b>1 18e>4f 18f>ca 190>cb 191>1 193>cd 194>cf 196>d3 197>d1 198>1 19c>d3 19d>d5 19f>d6 1a2:1a4>1
  1a6>da 1a7>1 1a9>da 1ac>1 1ae>da 1b1-1b2>d9 1b3:1b5>1 1b7>db 1b8>1 1bc>1 1c4>2 1c5>1 1c7>2 1c8>1 1ca>2 1cb>1 1e4>1
  1f1>2 1f2>1 1f6<61 1f7<38 21c>1 220<82 222:224>1 23a>2a2b 23b>1 23d<a3 23e>2a28 241>1 243<c3 244>45 245>47 246:24e>1
  345>74 370:372>1 376>1 37f>74 391-3a1>20 3a3-3a9>20 3c2>1 3cf>8 3d0<1e 3d1<19 3d5<f 3d6<16 3d8:3ee>1 3f0<36 3f1<30
  3f4<3c 3f5<40 3f7>1 3f9<7 3fa>1 3fd-3ff<82 402:404>50 405-406>50 408-40b>50 40f>50 410-418>20 41a-42f>20 460:474>1
  478:480>1 48a:4be>1 4c0>f 4c3:4cd>1 4d4>1 4d8>1 4e0>1 4e8>1 4f6>1 4fa:52e>1 531-556>30 10a0-10c5>1c60 10c7>1c60
  10cd>1c60 13f8-13fd<8 1c80<184e 1c81<184d 1c82<1844 1c83-1c84<1842 1c85<1843 1c86<183c 1c87<1824 1c88>89c3 1c89>1
  1c90-1cba<bc0 1cbd-1cbf<bc0 1efa:1efe>1 2132>1c 2160-216f>10 2183>1 24b6-24cf>1a 2c00-2c2f>30 2c60>1 2c62<29f7
  2c63<ee6 2c64<29e7 2c67:2c6b>1 2c6d<2a1c 2c6e<29fd 2c6f<2a1f 2c70<2a1e 2c72>1 2c75>1 2c7e-2c7f<2a3f 2c80:2ce2>1
  2ceb:2ced>1 2cf2>1 a640:a66c>1 a680:a69a>1 a722:a72e>1 a732:a76e>1 a779:a77b>1 a77d<8a04 a77e:a786>1 a78b>1 a78d<a528
  a790:a792>1 a796:a7a8>1 a7aa<a544 a7ab<a54f a7ac<a54b a7ad<a541 a7ae<a544 a7b0<a512 a7b1<a52a a7b2<a515 a7b3>3a0
  a7b4:a7c2>1 a7c4<30 a7c5<a543 a7c6<8a38 a7c7:a7c9>1 a7cb<a567 a7cc>1 a7d0>1 a7d6:a7da>1 a7dc<a641 a7f5>1
  ab70-abbf<97d0 ff21-ff3a>20 10400-10427>28 104b0-104d3>28 10570-1057a>27 1057c-1058a>27 1058c-10592>27 10594-10595>27
  10c80-10cb2>40 10d50-10d65>20 118a0-118bf>20 16e40-16e5f>20 1e900-1e921>22
`;

/** The case folding of characters that become several. */
export const fullFolds = `
  df=73+73 149=2bc+6e 587=565+582 1e9a=61+2be 1e9e=73+73 fb00=66+66 fb01=66+69 fb02=66+6c fb03=66+66+69 fb04=66+66+6c
  fb05=73+74 fb06=73+74 fb13=574+576 fb14=574+565 fb15=574+56b fb16=57e+576 fb17=574+56d
`;

/** The letters of the Latin, Greek and Cyrillic scripts that are left by case folding and canonical decomposition. */
export const accentedLetters = `
  61-7a aa ba e6-f0 f8-2b8 2e0-2e4 371-373 377 37a-37d 3b1-3e1 3f2-3f3 3f8-481 48b-52f 1c8a 1d00-1dbf 1e9c-1eff 2071
  207f 2090-209c 214e 2184 2c61-2c7d a641-a66e a67f-a69d a723-a787 a78c-a7cd a7d1 a7d3 a7d5-a7db a7f2-a7ff ab30-ab5a
  ab5c-ab69 ff41-ff5a 10780-10785 10787-107b0 107b2-107ba 1df00-1df1e 1df25-1df2a 1e030-1e06d
`;

/** What is read for letters of the Latin script that have no decomposition, such as `ø`: by Latin-ASCII of CLDR. */
export const plainLetters = `
  e6=ae f0=d f8=o fe=th 111=d 127=h 131=i 138=q 142=l 14b=n 153=oe 167=t 180=b 183=b 188=c 18c=d 192=f 195=hv 199=k
  19a=l 19e=n 1a3=oi 1a5=p 1ab=t 1ad=t 1b4=y 1b6=z 1e5=g 221=d 225=z 234=l 235=n 236=t 237=j 238=db 239=qp 23c=c 23f=s
  240=z 247=e 249=j 24d=r 24f=y 253=b 255=c 256=d 257=d 25b=e 25f=j 260=g 261=g 262=g 266=h 267=h 268=i 26a=i 26b=l
  26c=l 26d=l 271=m 272=n 273=n 274=n 276=oe 27c=r 27d=r 27e=r 280=r 282=s 288=t 289=u 28b=v 28f=y 290=z 291=z 299=b
  29b=g 29c=h 29d=j 29f=l 2a0=q 2a3=dz 2a5=dz 2a6=ts 2aa=ls 2ab=lz 1d00=a 1d01=ae 1d03=b 1d04=c 1d05=d 1d06=d 1d07=e
  1d0a=j 1d0b=k 1d0c=l 1d0d=m 1d0f=o 1d18=p 1d1b=t 1d1c=u 1d20=v 1d21=w 1d22=z 1d6b=ue 1d6c=b 1d6d=d 1d6e=f 1d6f=m
  1d70=n 1d71=p 1d72=r 1d73=r 1d74=s 1d75=t 1d76=z 1d7a=th 1d7b=i 1d7d=p 1d7e=u 1d80=b 1d81=d 1d82=f 1d83=g 1d84=k
  1d85=l 1d86=m 1d87=n 1d88=p 1d89=r 1d8a=s 1d8c=v 1d8d=x 1d8e=z 1d8f=a 1d91=d 1d92=e 1d93=e 1d96=i 1d99=u 1e9c=s 1e9d=s
  1efb=ll 1efd=v 1eff=y 2c61=l 2c65=a 2c66=t 2c68=h 2c6a=k 2c6c=z 2c71=v 2c73=w 2c74=v 2c78=e 2c7a=o a730=f a731=s
  a733=aa a735=ao a737=au a739=av a73b=av a73d=ay a741=k a743=k a745=k a747=l a749=l a74b=o a74d=o a74f=oo a751=p a753=p
  a755=p a757=q a759=q a75f=v a761=vy a765=th a767=th a771=d a772=l a773=m a774=n a775=r a776=r a777=t a77a=d a77c=f
  a787=t a791=n a793=c a7a1=g a7a3=k a7a5=n a7a7=r a7a9=s
`;
